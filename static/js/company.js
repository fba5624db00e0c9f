// A table with company: what the others play comes in by one stream of events, which say only that something has
// changed; the piles are fetched as the one who looks may see them. For those who play and those who look on alike.
(() => {
"use strict";

const { table, photograph, animate } = window.glide;
const AGAIN_MS = 5000;      // after which a stream that was refused is asked for again
const RETRY_MS = 2000;      // after which piles that did not come are asked for again
const EACH_MS = 5, MOST_MS = 3000;  // many who look on ask one after the other: so much time for each, so much in all
const strip = () => document.getElementById("company");
const status = () => document.getElementById("status");
const game = strip().dataset.game, plays = Boolean(document.getElementById("act"));
let newest = 0, busy = 0, retry = 0, watching = 0, asked = null;

// The newest change, as the game counts them. Cards in the hand stay there until they are let go.

function follow() {
  clearTimeout(retry);
  if (busy || newest <= Number(status().dataset.number) || table.querySelector(".held")) return;
  asked = status().dataset.number;
  htmx.ajax("GET", `/g/${game}/now?ply=${status().dataset.ply}`, { source: document.getElementById("tools"), swap: "none" });
}

document.addEventListener("htmx:before:request", () => { busy++; });
document.addEventListener("htmx:finally:request", () => {
  busy = Math.max(busy - 1, 0);
  clearTimeout(retry);
  const came = asked !== status().dataset.number;
  asked = null;
  retry = setTimeout(follow, came ? 0 : RETRY_MS);
});
addEventListener("pointerup", () => setTimeout(follow));

// Who looks on has no other scripts for what comes in.
if (!plays) {
  let was = null;
  document.addEventListener("htmx:before:swap", event => {
    const fresh = event.detail.tasks.map(task => task.fragment.querySelector?.("#status")).find(Boolean);
    if (!fresh || Number(fresh.dataset.number) < Number(status().dataset.number)) event.preventDefault();
    else was = photograph();
  });
  document.addEventListener("htmx:after:swap", () => {
    if (was) animate(was);
    was = null;
  });
}

// Who is there.

async function renew() {
  try {
    const answer = await fetch(`/g/${game}/company`);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html"), fresh = page.getElementById("company");
    const focused = document.activeElement?.closest("#company a");
    strip().replaceWith(fresh);
    if (focused) fresh.querySelector("a").focus();
  } catch { /* the stream will say when the server is there again */ }
}

function onGame(event) {
  const { by } = JSON.parse(event.data);
  newest = Math.max(newest, Number(event.lastEventId));
  if (by) for (const seat of strip().querySelectorAll("[data-player]")) seat.classList.toggle("last", seat.dataset.player === by);
  if (plays) follow();
  else setTimeout(follow, Math.random() * Math.min(EACH_MS * watching, MOST_MS));
}

function onHere(event) {
  const here = JSON.parse(event.data), players = here.players;
  watching = here.watching;
  if (players.some(player => !strip().querySelector(`[data-player="${player}"]`))) renew();
  for (const seat of strip().querySelectorAll("[data-player]")) seat.classList.toggle("here", players.includes(seat.dataset.player));
  strip().querySelector("[data-watching]").textContent = watching;
  strip().querySelector(".watching").hidden = !watching;
}

// The stream. A browser takes it up again by itself, and says where it was; but not after it was refused.

function listen() {
  const stream = new EventSource(`/api/v1/games/${game}/events`);
  stream.addEventListener("game", onGame);
  stream.addEventListener("here", onHere);
  stream.addEventListener("company", renew);
  stream.addEventListener("closed", () => { stream.close(); location.reload(); });
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS);
  });
}

addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
listen();
})();
