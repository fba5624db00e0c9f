// The board's hands: dragging, tapping, keys, and cards that glide to their new places. It knows no rules: what may be
// played stands in the status (data-legal), what was played comes back as piles (htmx morphs them in), and what a move
// means is the server's to say.
(() => {
"use strict";

const { table, photograph, animate, speed, cardsOf, pileCalled } = window.glide;
const act = document.getElementById("act");
const go = document.getElementById("go");
const menu = document.querySelector(".menu");

const MOUSE_SLOP = 5, FINGER_SLOP = 9;      // px a press may wander before it is a drag
const AGAIN_MS = 400, AGAIN_PX = 40;        // a press so soon and so near is the same press again
const TURN_MS = 150;                        // where the stock is turned card by card, quick presses are meant
const PEEK_MS = 350;
const LIFTED_MS = 700;                      // a click so soon after a finger's tap is that tap's own
const AWAY_MS = 120000;                     // without a sign of the player for so long, the clock stands still
const RETRY_MS = [500, 1000, 2000, 4000, 8000, 15000];

const status = () => document.getElementById("status");
const say = () => status().querySelector(".say");
const pileOf = node => node?.closest?.(".pile");
const nameOf = pile => pile.dataset.name ?? pile.id.slice("pile-".length);
const columns = () => [...table.querySelectorAll(".columns > .pile")];
// In lines, the piles on which something lies, or may be put.
const inLines = () => [...table.querySelectorAll(".line > .pile:not(.stock)")].filter(pile => cardsOf(pile).length || pile.matches(".may"));
const legal = () => status().dataset.legal.split(" ").filter(Boolean);
const root = document.documentElement.classList;

// A move taken apart: onto a place (-), together with one (+), or by itself.
function read(move) {
  const [, a, join = "", b = "", n = "1"] = move.match(/^([a-z0-9]+?)(?:([-+])([a-z0-9]+?)(?:x(\d+))?)?$/i) ?? [];
  return { a, join, b, n };
}

function tell(words, tone = "") {
  const line = say();
  line.className = "say " + tone;
  for (const node of [...line.childNodes]) if (node.nodeType === Node.TEXT_NODE) node.remove();
  line.prepend(words + " ");      // beside a link that waits for the engine's word
  linger();
}

// A word stays for a while, from when it was said.
function linger() {
  for (const fading of say().getAnimations()) { fading.cancel(); fading.play(); }
}

// Sending. One request at a time; of what is asked meanwhile the last is kept and sent with the new ply.

let busy = false, next = null, tries = 0, retry = 0, asked = "", sentAt = "";

function send(move) {
  clearTimeout(retry);
  if (busy) { next = move; return; }
  asked = go.value = move;
  act.requestSubmit(go);
}

document.addEventListener("htmx:before:request", () => { busy = true; sentAt = status().dataset.ply; });
document.addEventListener("htmx:finally:request", () => {
  busy = false;
  if (held?.sent) letGo(true);
  if (next !== null) { const move = next; next = null; send(move); }
});
document.addEventListener("htmx:config:request", event => {
  asked = event.detail.ctx.request.body?.get?.("move") ?? "";  // a hint or a verdict is no move to send again
});
// The same entry for the same ply is played once, however often it arrives: so it may be sent again.
function again(words) {
  const ply = status().dataset.ply, move = asked;
  if (move) next = null;                // if a mere look failed, the move that waited for it is still sent
  tell(words, "bad");
  if (!move || tries >= RETRY_MS.length) return;
  clearTimeout(retry);
  retry = setTimeout(() => { if (status().dataset.ply === ply) send(move); }, RETRY_MS[tries++]);
}
document.addEventListener("htmx:error", () => again(table.dataset.offline));
document.addEventListener("htmx:response:error", event => {
  const code = event.detail.ctx.response.status;
  next = null;
  if (code >= 500 || code === 429) again(table.dataset.offline);
  else if (code !== 409 && code !== 422) tell(table.dataset.failed, "bad");
});

// An answer. One that is older than what is shown is dropped.

let was = null, plyWas = "";

document.addEventListener("htmx:before:swap", event => {
  const fresh = event.detail.tasks.map(task => task.fragment.querySelector?.("#status")).find(Boolean);
  if (!fresh || Number(fresh.dataset.ply) < Number(status().dataset.ply)) {
    event.preventDefault();
    return;
  }
  tries = 0;
  was = photograph();
  plyWas = status().dataset.ply;
});

document.addEventListener("htmx:after:swap", () => {
  if (!was) return;
  const before = was, from = held?.pile;
  was = null;
  clearHint();
  if (!drag?.moving && (held?.sent || status().dataset.ply !== plyWas)) letGo(false);
  if (!asked && status().dataset.ply !== plyWas) next = null;   // it was meant for the table before another played
  animate(before);
  linger();
  showHint();
  keepFocus(from);
  tick();
});

// Picking up. `held` is what is picked: the cards, where from, and the moves they have, by place. A card that may go by
// itself has its own place among them.

let held = null;

function take(button) {
  letGo(false);
  const [, name, count] = button.value.match(/^(.+?)x(\d+)$/), pile = pileOf(button), all = cardsOf(pile);
  const moves = new Map();
  for (const move of legal()) {
    const { a, join, b, n } = read(move);
    if (join === "+" && b === name && count === "1") moves.set(a, move);
    else if (a === name && n === count) moves.set(b || name, move);
  }
  held = { pile, name, count, button, moves, cards: all.slice(all.indexOf(button)) };
  held.cards.forEach(card => card.classList.add("up"));
  button.setAttribute("aria-pressed", "true");
  for (const target of moves.keys()) if (target !== name) pileCalled(target).classList.add("may");
  const words = moves.size ? table.dataset.picked : table.dataset.nowhere;
  tell(words.replace("{card}", button.getAttribute("aria-label")).replace("{columns}", [...moves.keys()].join(", ")), "quiet");
}

function letGo(back) {
  clearHint();
  if (!held) return;
  const { cards, pile, button } = held;
  held = null;
  button.removeAttribute("aria-pressed");
  for (const marked of table.querySelectorAll(".may, .at")) marked.classList.remove("may", "at");
  pile.classList.remove("held");
  const time = speed();
  for (const card of cards) {
    card.classList.remove("up");
    const moved = card.style.transform;
    card.style.transform = "";
    if (back && moved && time && card.isConnected) card.animate([{ transform: moved }, { transform: "none" }], { duration: time, easing: "ease-out" });
  }
}

// To a place. If the rules do not allow it the server says why; nothing is decided here.
function put(pile) {
  const to = nameOf(pile);
  let move = held.moves.get(to);
  if (!move && !/^\d+$/.test(to) && !pile.dataset.name) { letGo(true); return; }
  move ??= held.pile.matches(".stock") ? `${held.name}-${to}`
    : table.dataset.refused.replace("{a}", held.name).replace("{b}", to).replace("{n}", held.count);
  held.sent = true;
  send(move);
}

// The place that a double tap means: in suit before out of suit, on cards before into a space.
function best() {
  const suit = held.cards[0].classList[1];
  const worth = name => {
    const end = cardsOf(pileCalled(name)).at(-1);
    return !end ? 0 : end.classList[1] === suit ? 2 : 1;
  };
  return [...held.moves.keys()].sort((a, b) => worth(b) - worth(a))[0];
}

// Tapping. Quick taps on one spot are one press: the second one plays the best place if the first one picked up, and
// beyond that nothing is played. A mouse counts its clicks itself; fingers are counted here. A stock that is turned card
// by card is another thing: who goes through it taps fast, and each tap that finds the last card turned counts. Only
// when it is used up they are one again, so that nobody runs on into a redeal.

let last = { time: 0, x: 0, y: 0, n: 0, did: "", acts: 0 }, acts = 0, dragged = false;

function count(event) {
  const near = Math.hypot(event.clientX - last.x, event.clientY - last.y) < AGAIN_PX;
  const one = turns(event.target), stock = event.target.closest(".stock");
  const soon = near && event.timeStamp - last.time < (one ? TURN_MS : AGAIN_MS) && last.acts === acts;
  const again = event.pointerType === "mouse" && !one ? event.detail > 1 || (stock && soon) : soon;
  if (again && one) return 2;           // counted from the press that turned a card, or a fast hand would get nowhere
  last = { acts, time: event.timeStamp, x: event.clientX, y: event.clientY, n: again ? last.n + 1 : 1, did: again ? last.did : "" };
  return last.n;
}

// Whether a tap there turns one card of the stock.
function turns(node) {
  const button = node.closest(".stock > button:not(.c)");
  return table.dataset.turns !== undefined && button?.value === table.dataset.word;
}

// What a tap on the table does. True if the button that was tapped is to do what buttons do.
function tap(event, byHand) {
  const card = event.target.closest("button.c"), pile = pileOf(event.target), stock = event.target.closest(".stock");
  const nth = byHand ? count(event) : 1, wasHeld = held, collect = held && `collect-${held.name}`;
  if (held?.sent) return false;
  if (nth === 2 && last.did === "take" && held && pile === held.pile) {
    last.did = "done";
    const single = root.contains("single"), to = single ? null : best();
    if (to) put(pileCalled(to));
    else {
      const card = held.button.getAttribute("aria-label");
      letGo(false);
      if (!single) tell(table.dataset.nowhere.replace("{card}", card));
    }
  } else if (nth > 1 && (last.did === "done" || stock)) {
    return false;
  } else if (busy && turns(event.target)) {
    if (status().dataset.ply !== sentAt) send(table.dataset.word);
  } else if (held?.count === "13" && pile?.id === "pile-foundation" && legal().includes(collect)) {
    held.sent = true;
    send(collect);
  } else if (held && pile && pile !== held.pile && pile.matches(".columns > .pile, .line > .pile:not(.stock), .may")) {
    put(pile);
    last.did = "put";
  } else if (held) {
    letGo(false);
    if (card && pile === wasHeld.pile && card !== wasHeld.button) pick(card, nth);
  } else if (stock && !card) {
    return true;
  } else if (card) {
    pick(card, nth);
  } else {
    clearHint();
    if (event.target.closest(".columns b.c")) tell(table.dataset.fixed);
  }
  return false;
}

function pick(card, nth) {
  take(card);
  if (nth === 1) last.did = "take";
  if (held.moves.size === 1 && held.moves.has(held.name)) { last.did = "put"; put(held.pile); }
}

table.addEventListener("click", event => {
  const byHand = event.detail > 0;      // a key makes a click of no presses
  const taken = byHand && (dragged || event.timeStamp - lifted < LIFTED_MS);
  if (!taken && tap(event, byHand)) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

// A finger's tap is taken when it lifts: browsers make no click of one that follows a drag at once, or that rests.
let finger = null, lifted = -Infinity;

table.addEventListener("pointerdown", event => {
  finger = event.pointerType === "touch" && event.isPrimary ? { id: event.pointerId, x: event.clientX, y: event.clientY } : null;
});
table.addEventListener("contextmenu", event => { if (finger) event.preventDefault(); });
table.addEventListener("pointerup", event => {
  if (!finger || event.pointerId !== finger.id || drag?.moving) return;
  if (Math.hypot(event.clientX - finger.x, event.clientY - finger.y) > FINGER_SLOP) return;
  lifted = event.timeStamp;
  if (tap(event, true)) send(event.target.closest("button").value);
});

// Elsewhere the same: what deals, restarts or gives up is done once, however often it is tapped at once.
document.getElementById("tools").addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  if (event.detail > 1 && !/^(undo|redo)$/.test(button.value)) { event.preventDefault(); event.stopPropagation(); return; }
  menu.open = false;                    // what is chosen there shows on the table
  if (/^(undo|redo)$/.test(button.value) && busy) { event.preventDefault(); event.stopPropagation(); send(button.value); }
  letGo(false);
}, true);

// The menu closes by a press beside it and by escape too.
addEventListener("pointerdown", event => { if (!menu.contains(event.target)) menu.open = false; }, true);
addEventListener("keydown", event => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// Dragging, by mouse, pen or finger.

let drag = null, peek = 0;

table.addEventListener("pointerdown", event => {
  dragged = false;
  if (!event.isPrimary || event.button !== 0) return;
  const card = event.target.closest(".c");
  if (!card || !card.closest(".pile")) return;
  peek = setTimeout(() => card.classList.add("peek"), PEEK_MS);
  if (card.matches("button")) drag = { id: event.pointerId, x: event.clientX, y: event.clientY, card, slop: event.pointerType === "mouse" ? MOUSE_SLOP : FINGER_SLOP };
});

addEventListener("pointermove", event => {
  if (!drag || event.pointerId !== drag.id) return;
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  if (!drag.moving) {
    if (Math.hypot(dx, dy) < drag.slop) return;
    if (held?.sent || !drag.card.isConnected) { drag = null; return; }
    endPeek();
    take(drag.card);
    held.pile.classList.add("held");
    drag.moving = dragged = true;
    try { table.setPointerCapture(drag.id); } catch { /* it is gone already */ }
  }
  for (const card of held.cards) card.style.transform = `translate(${dx}px, ${dy}px)`;
  const over = landing(event);
  for (const pile of landings()) pile.classList.toggle("at", pile === over && pile !== held.pile && held.moves.has(nameOf(pile)));
});

addEventListener("pointerup", event => drop(event, false));
addEventListener("pointercancel", event => drop(event, true));

function drop(event, cancelled) {
  endPeek();
  if (!drag || event.pointerId !== drag.id) return;
  const moving = drag.moving;
  drag = null;
  if (!moving || !held) return;
  acts++;
  const onto = cancelled ? null : landing(event);
  const alone = held.moves.has(held.name) && onto !== held.pile && !(onto && held.moves.has(nameOf(onto)));
  if (alone && !cancelled) put(held.pile);
  else if (onto && onto !== held.pile) put(onto);
  else letGo(true);
}

const landings = () => [...new Set([...columns(), ...inLines(), ...table.querySelectorAll(".may")])];

// Where cards would land if let go now: the nearest place that takes them, if it is near; else the one beneath. A column
// reaches from top to bottom.
function landing(event) {
  const area = table.getBoundingClientRect(), margin = 60;
  if (event.clientY < area.top - margin || event.clientY > area.bottom + margin) return null;
  const box = held.cards[0].getBoundingClientRect(), middle = box.left + box.width / 2, level = box.top + box.height / 2;
  let nearest = null, taking = null, least = Infinity, leastTaking = Infinity;
  for (const pile of landings()) {
    const place = pile.getBoundingClientRect(), centre = place.left + place.width / 2, height = place.top + place.height / 2;
    let far = Math.min(Math.abs(centre - middle), Math.abs(centre - event.clientX)) / place.width;
    if (!pile.matches(".columns > .pile")) far = Math.max(far, Math.min(Math.abs(height - level), Math.abs(height - event.clientY)) / place.height);
    if (far < least) { least = far; nearest = pile; }
    if (held.moves.has(nameOf(pile)) && far < leastTaking) { leastTaking = far; taking = pile; }
  }
  return leastTaking < .85 ? taking : least < .85 ? nearest : null;
}

function endPeek() {
  clearTimeout(peek);
  table.querySelector(".peek")?.classList.remove("peek");
}

// Keys. Arrows go from place to place, and in a column up and down to where the run is cut; a digit names a place.

let keyed = false, stood = "";      // whether keys are what was used last, and the pile on which they stood
addEventListener("pointerdown", () => { keyed = false; }, true);
addEventListener("keydown", () => { keyed = true; }, true);
table.addEventListener("focusin", event => { stood = pileOf(event.target)?.id ?? stood; });

function focusOn(pile) {
  if (!pile) return;
  const end = [...pile.querySelectorAll("button")].at(-1);
  (held || !end ? pile : end).focus();
}

// Keys are heard on the table and where nothing has the focus; letters at the tools below too. Not where something is
// chosen or filled in.
addEventListener("keydown", event => {
  const { target, key } = event, pile = pileOf(target);
  const onTable = target === document.body || table.contains(target);
  if (event.ctrlKey || event.metaKey || event.altKey || !(onTable || target.matches("#hint, #status button"))) return;
  const other = { u: "undo", z: "undo", r: "redo", y: "redo", d: stockWord() }[key.toLowerCase()];
  if (key.toLowerCase() === "h") document.getElementById("hint").click();
  else if (other && !(event.repeat && other === stockWord())) { letGo(false); send(other); }
  else if (!onTable) return;
  else if (key === "Escape") letGo(true);
  else if ((key === "Enter" || key === " ") && pile && target === pile) {
    if (held && !held.sent && pile !== held.pile) put(pile); else letGo(false);
  } else if (!goTo(key, pile ?? document.getElementById(stood))) return;
  event.preventDefault();
});

// Goes where a key leads from a pile; from none an arrow leads to the first. False if the key leads nowhere.
function goTo(key, pile) {
  const first = columns().length ? columns() : inLines(), all = [...first, pileCalled("stock")].filter(Boolean);
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key], rise = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (/^\d$/.test(key)) focusOn(pileCalled(key === "0" ? "10" : key) ?? all[(Number(key) + 9) % 10]);
  else if (key === "Home" || key === "End") focusOn(first.at(key === "Home" ? 0 : -1));
  else if (!step && !rise) return false;
  else if (!pile) focusOn(first[0]);
  else if (step) focusOn(all[(all.indexOf(pile) + step + all.length) % all.length]);
  else if (pile.matches(".line > .pile")) focusOn(beyond(pile, all, rise));
  else {
    const cuts = [...pile.querySelectorAll("button.c")];
    if (cuts.length) cuts[Math.min(Math.max(cuts.indexOf(document.activeElement) + rise, 0), cuts.length - 1)].focus();
  }
  return true;
}

const stockWord = () => table.querySelector(".stock > button:not(.c)")?.value ?? table.dataset.word;

// The nearest pile of the lines above or below.
function beyond(pile, all, rise) {
  const here = pile.getBoundingClientRect(), far = one => {
    const box = one.getBoundingClientRect(), down = (box.top - here.top) * rise;
    return down < here.height * .2 ? Infinity : down * 3 + Math.abs(box.left - here.left);
  };
  return all.filter(one => far(one) < Infinity).sort((a, b) => far(a) - far(b))[0];
}

// After a swap the focus stays at its place: on the pile that was played to, or where the keys stood, for the button that
// had it may be gone; and beside a tool that has nothing more to do.
function keepFocus(from) {
  if (!keyed) return;
  const active = document.activeElement, target = pileCalled(read(asked).b);
  if (active.disabled) { active.parentNode.querySelector(":enabled")?.focus(); return; }
  if (active !== document.body && !(target && table.contains(active))) return;
  let pile = target ?? from ?? document.getElementById(stood);
  if (pile?.matches(".line > .pile:not(.stock)") && !cardsOf(pile).length) pile = inLines()[0];
  if (pile && !pile.matches("[tabindex], :has(button)")) pile = columns()[0] ?? inLines()[0];
  focusOn(pile);
}

// Hints.

function clearHint() {
  for (const marked of table.querySelectorAll(".hinted")) marked.classList.remove("hinted");
}

function showHint() {
  const move = status().dataset.hint;
  if (!move) return;
  const { a, join, b, n } = read(move), source = pileCalled(a) ?? (join ? null : pileCalled("stock")), target = pileCalled(b);
  if (source?.matches(".stock")) source.classList.add("hinted");
  else if (source) for (const card of cardsOf(source).slice(-n)) card.classList.add("hinted");
  if (join === "+") cardsOf(target).at(-1)?.classList.add("hinted");
  else target?.classList.add("hinted");
}

// The clock that is shown. It runs from the first move on while the player is here; the time that ranks is the server's.

const key = "clock:" + act.getAttribute("action");
let shown = Number(sessionStorage.getItem(key) ?? status().dataset.clock), sign = Date.now(), ticked = Date.now();
for (const event of ["pointermove", "pointerdown", "keydown"]) addEventListener(event, () => { sign = Date.now(); }, { passive: true });

function tick() {
  const now = Date.now();
  if ("running" in status().dataset && !document.hidden && now - sign < AWAY_MS) shown += Math.min(now - ticked, 2000);
  ticked = now;
  const seconds = Math.floor(shown / 1000), two = n => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
  const text = (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(seconds % 60);
  const clock = document.getElementById("clock");
  if (clock && clock.textContent !== text) clock.textContent = text;
  sessionStorage.setItem(key, shown);
}
setInterval(tick, 1000);

// Coming back to a board that another window may have played on.

addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
document.addEventListener("visibilitychange", () => {
  ticked = Date.now();
  if (document.hidden || busy || held) return;
  asked = "";
  htmx.ajax("GET", act.getAttribute("action").replace(/act$/, "now?ply=") + status().dataset.ply, { source: act, swap: "none" });
});

// A page that was asked for without scripts may come with cards picked up; here they are picked up by hand.
for (const target of table.querySelectorAll(".to")) target.remove();
for (const picked of table.querySelectorAll(".up")) { picked.classList.remove("up"); picked.removeAttribute("aria-pressed"); }
showHint();
})();
