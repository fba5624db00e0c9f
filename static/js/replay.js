// A replay: steps come as the piles that changed and glide; it plays by itself at any speed, and can be wound to any step.
(() => {
"use strict";

const { photograph, animate } = window.glide;
const tools = document.getElementById("tools"), address = tools.dataset.replay;
const seek = document.getElementById("seek"), run = document.getElementById("run"), pace = document.getElementById("pace");
const status = () => document.getElementById("status");
const ply = () => Number(status().dataset.ply), last = () => Number(status().dataset.last);
const STEP_MS = 1000;

let busy = false, wanted = null, timer = 0, was = null;
tools.querySelector(".pace").hidden = false;

function show(to) {
  to = Math.min(Math.max(to, 0), last());
  seek.value = to;
  if (busy) { wanted = to; return; }
  if (to === ply()) return;
  busy = true;
  htmx.ajax("GET", `${address}?ply=${to}&since=${ply()}`, { source: tools, swap: "none" });
}

document.addEventListener("htmx:before:swap", () => { was = photograph(); });
document.addEventListener("htmx:after:swap", () => {
  if (was) animate(was);
  was = null;
  history.replaceState(null, "", `${address}?ply=${ply()}`);
});
document.addEventListener("htmx:finally:request", () => {
  busy = false;
  if (wanted !== null) { const to = wanted; wanted = null; show(to); }
});

// The button says what it does next: play, or pause.
function turn(icon) {
  const [picture, word] = run.children;
  if (picture.classList.contains(icon)) return;
  picture.className = `icon ${icon}`;
  [word.textContent, word.dataset.other] = [word.dataset.other, word.textContent];
}

function stop() {
  clearInterval(timer);
  timer = 0;
  turn("i-play");
}

function start() {
  if (ply() === last()) show(0);
  turn("i-pause");
  timer = setInterval(() => {
    if (busy) return;
    if (ply() >= last()) stop(); else show(ply() + 1);
  }, STEP_MS / Number(pace.value));
}

run.addEventListener("click", () => { if (timer) stop(); else start(); });
pace.addEventListener("change", () => { if (timer) { stop(); start(); } });
seek.addEventListener("input", () => { stop(); show(Number(seek.value)); });
tools.addEventListener("click", event => {
  const to = event.target.closest("[data-to]")?.dataset.to;
  if (!to || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  stop();
  const from = wanted ?? ply();
  show({ first: 0, back: from - 1, on: from + 1, last: last() }[to]);
});
addEventListener("keydown", event => {
  if (event.target.matches?.("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const from = wanted ?? ply();
  const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last() }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  stop();
  show(to);
});
})();
