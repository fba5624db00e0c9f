// An arena, as it goes on: each event brings the table, and who is in which race. One's own race opens by itself.
(() => {
"use strict";

const AGAIN_MS = 5000;      // after which a stream that was refused is asked for again
const OPENED = "arena-race";
const root = () => document.getElementById("arena");
const two = n => String(n).padStart(2, "0");
let ahead = 0, renewing = false, moved = false;

function tick() {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = Math.max(Number(place.dataset.until) - Date.now() - ahead, 0), seconds = Math.ceil(left / 1000);
    const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
    const text = (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(seconds % 60);
    if (place.textContent !== text) place.textContent = text;
  }
}

// What has changed by more than the table: the time is up, or one pauses.

function show(fresh) {
  const key = document.activeElement?.dataset?.key;
  root().replaceWith(fresh);
  if (key) fresh.querySelector(`[data-key="${key}"]`)?.focus();
  tick();
}

async function renew() {
  if (renewing) return;
  renewing = true;
  let overtaken = false;
  try {
    const answer = await fetch(`/arenas/${root().dataset.arena}/now`);
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html"), fresh = page.getElementById("arena");
      overtaken = Number(fresh.dataset.seq) < Number(root().dataset.seq);   // by an event: then it is old already
      if (!overtaken) show(fresh);
    }
  } catch { /* the stream will say when the server is there again */ }
  renewing = false;
  if (overtaken) renew();
}

// The table.

function element(name, text, more = {}) {
  const made = Object.assign(document.createElement(name), more);
  made.textContent = text;
  return made;
}

function line(row, words, own, over) {
  const tr = document.createElement("tr"), who = element("th", row.player ?? words.guest.replace("{}", row.number), { scope: "row" });
  const points = element("td", row.points, { className: "n" }), state = document.createElement("td");
  if (own) {
    tr.className = "you";
    who.append(" ", element("small", words.you));
  }
  if (row.on_fire) {
    const fire = element("span", "", { className: "fire", title: words.fire });
    fire.setAttribute("role", "img");
    fire.setAttribute("aria-label", words.fire);
    points.append(" ", fire);
  }
  if (row.race) state.append(element("a", words.plays, { href: `/r/${row.race}` }));
  else if (row.paused && !over) state.append(element("span", words.pauses, { className: "soft" }));
  tr.append(element("td", row.rank, { className: "n" }), who, points, element("td", row.wins, { className: "n wide" }),
    element("td", row.races, { className: "n" }), state);
  return tr;
}

function onArena(event) {
  const arena = JSON.parse(event.data), here = root(), number = Number(here.dataset.number ?? 0);
  ahead = arena.now - Date.now();
  const race = arena.racing.find(one => one.number === number)?.race;
  if (race && !moved && sessionStorage.getItem(OPENED) !== race) {
    moved = true;
    sessionStorage.setItem(OPENED, race);   // who comes back to look at the table is not sent away again
    location.assign(`/r/${race}`);
    return;
  }
  const mine = arena.table.find(row => row.number === number);
  const paused = mine && Number(mine.paused) !== Number(here.dataset.paused);
  here.dataset.seq = event.lastEventId;
  if (arena.status !== here.dataset.status || paused) { renew(); return; }
  const table = here.querySelector("table");
  here.querySelector("[data-players]").textContent = arena.players;
  table.tBodies[0].replaceChildren(...arena.table.map(row => line(row, table.dataset, row.number === number, arena.status === "over")));
}

// The stream. A browser takes it up again by itself; but not after it was refused.

function listen() {
  const stream = new EventSource(`/api/v1/arenas/${root().dataset.arena}/events`);
  stream.addEventListener("arena", onArena);
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS);
  });
}

ahead = Number(root().dataset.now) - Date.now();
tick();
setInterval(tick, 250);
addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
listen();
})();
