// A race, as it goes on: the server's events come in by one stream, figures are put in their places, and what is more
// than a figure is fetched as it stands. It knows the time by the server's clock and decides nothing.
(() => {
"use strict";

const AGAIN_MS = 5000;      // after which a stream that was refused is asked for again
const root = () => document.getElementById("race") ?? document.getElementById("lobby");
const two = n => String(n).padStart(2, "0");
const GONE_MS = 61000;      // after which one who is away can be counted as gone
let ahead = 0, renewing = false, once_more = false, moved = false;

// The server's clock.

function set(now) { ahead = now - Date.now(); }

function tick() {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = Math.max(Number(place.dataset.until) - Date.now() - ahead, 0), seconds = Math.ceil(left / 1000);
    const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
    const text = "count" in place.dataset ? String(seconds) : (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(seconds % 60);
    if (place.textContent !== text) place.textContent = text;
  }
}

// What has changed by more than a figure.

function show(old, fresh) {
  const key = document.activeElement?.dataset?.key, open = old.querySelector("details")?.open;
  old.replaceWith(fresh);
  if (open && fresh.querySelector("details")) fresh.querySelector("details").open = true;
  if (key) fresh.querySelector(`[data-key="${key}"]`)?.focus();
  if (fresh.dataset.now) set(Number(fresh.dataset.now));
  tick();
  later();
}

async function renew() {
  if (renewing) { once_more = true; return; }
  renewing = true;
  try {
    const old = root(), answer = await fetch(old.dataset.renew ?? old.dataset.lobby);
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html"), fresh = page.getElementById(old.id);
      // An event may have overtaken the answer: then that is old already.
      if (Number(fresh.dataset.seq) < Number(old.dataset.seq)) once_more = true;
      else show(old, fresh);
    }
  } catch { /* the stream will say when the server is there again */ }
  renewing = false;
  if (once_more) { once_more = false; renew(); }
}

// Who is away may be gone a minute later, without another event.
let lateness = 0;
function later() {
  clearTimeout(lateness);
  if (document.querySelector("[data-seat][data-flags^='11'], [data-seat][data-flags^='01']")) lateness = setTimeout(renew, GONE_MS);
}

function go(address) {
  if (moved) return;
  moved = true;
  location.assign(address);
}

function onRace(event) {
  const race = JSON.parse(event.data), here = root();
  set(race.now);
  if (race.status === "running" && here.dataset.go && here.dataset.status !== "running") { go(here.dataset.go); return; }
  if (race.status === "over" && here.dataset.end && here.dataset.status !== "over") { go(here.dataset.end); return; }
  if (race.seq > Number(here.dataset.seq)) renew();
}

function onSeat(event) {
  const seat = JSON.parse(event.data), place = root().querySelector(`[data-seat="${seat.seat}"]`);
  root().dataset.seq = event.lastEventId;
  const flags = [seat.ready, seat.away_at !== null, seat.left, seat.goes_on, seat.finished].map(Number).join("");
  if (!place || !seat.progress || place.dataset.flags !== flags) { renew(); return; }
  for (const figure of place.querySelectorAll("[data-figure]")) {
    const text = String(seat.progress[figure.dataset.figure]);
    if (figure.textContent !== text) figure.textContent = text;
  }
}

// The stream. A browser takes it up again by itself, and says where it was; but not after it was refused.

function listen() {
  const race = root().dataset.race;
  const stream = new EventSource(race ? `/api/v1/races/${race}/events` : "/api/v1/lobby/events");
  stream.addEventListener("race", onRace);
  stream.addEventListener("seat", onSeat);
  stream.addEventListener("lobby", renew);
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS);
  });
}

if (root().dataset.now) set(Number(root().dataset.now));
tick();
setInterval(tick, 250);
addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
listen();
})();
