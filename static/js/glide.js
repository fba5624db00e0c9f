// Cards that glide to their new places. Piles are compared before and after: what left the end of one and came onto the end of another has moved.
window.glide = (() => {
"use strict";

const table = document.getElementById("table"), root = document.documentElement.classList;
const pileCalled = name => document.getElementById("pile-" + name) ?? table.querySelector(`.pile[data-name="${name}"]`);
const cardsOf = pile => [...pile.querySelectorAll(":scope > i, :scope > .c")];
const keyOf = card => card.tagName === "I" ? "?" : card.classList[1] + card.classList[2];

function photograph() {
  const photo = new Map();
  for (const pile of table.querySelectorAll(".pile")) {
    const stock = pile.classList.contains("stock");
    photo.set(pile.id, (stock ? [] : cardsOf(pile)).map(card => ({ key: keyOf(card), box: card.getBoundingClientRect() })));
  }
  photo.places = new Map(["stock", "foundation"].map(name => [name, pileCalled(name)]).filter(([, pile]) => pile)
    .map(([name, pile]) => [name, { box: pile.getBoundingClientRect(), count: Number(pile.dataset.count) }]));
  return photo;
}

function speed() {
  if (root.contains("still")) return 0;
  if (!root.contains("slow") && !root.contains("fast") && matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
  return root.contains("slow") ? 480 : root.contains("fast") ? 110 : 220;
}

function animate(before) {
  const time = speed();
  if (!time) return;
  const gone = new Map(), come = [];
  for (const pile of table.querySelectorAll(".pile")) {
    const old = before.get(pile.id), now = pile.classList.contains("stock") ? [] : cardsOf(pile);
    if (!old || pile.classList.contains("stock")) continue;
    let same = 0;
    while (same < old.length && same < now.length) {
      const a = old[same].key, b = keyOf(now[same]);
      if (a !== b && a !== "?" && b !== "?") break;
      if (a === "?" && b !== "?") turnUp(now[same], time);
      same++;
    }
    if (old.length > same) gone.set(old.slice(same).map(card => card.key).join(), old.slice(same));
    if (now.length > same) come.push([pile, now.slice(same)]);
  }
  const fewer = name => before.places.has(name) && before.places.get(name).count > Number(pileCalled(name).dataset.count);
  let nth = 0;
  for (const [pile, cards] of come) {
    const boxes = gone.get(cards.map(keyOf).join())?.map(card => card.box);
    let from = boxes;
    if (!from && pile.id === "pile-foundation") from = [[...gone.values()].sort((a, b) => b.length - a.length)[0]?.at(-1)?.box];
    else if (!from && fewer("stock")) from = cards.map(() => before.places.get("stock").box);
    else if (!from && fewer("foundation")) from = cards.map(() => before.places.get("foundation").box);
    if (!from || !from[0]) continue;
    const wait = boxes ? 0 : nth++ * time / 8;
    glide(pile, cards, from, time, wait);
  }
}

function glide(pile, cards, from, time, wait) {
  pile.classList.add("flying");
  let last;
  cards.forEach((card, n) => {
    const box = card.getBoundingClientRect(), start = from[n] ?? from[0];
    const dx = start.left - box.left, dy = start.top - box.top;
    if (Math.abs(dx) + Math.abs(dy) < 1) return;
    last = card.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }],
      { duration: time, delay: wait, easing: "cubic-bezier(.2, .7, .2, 1)", fill: "backwards" });
  });
  const done = () => pile.classList.remove("flying");
  if (last) last.finished.then(done, done); else done();
}

function turnUp(card, time) {
  card.animate([{ transform: "scaleX(.05)" }, { transform: "none" }], { duration: time * .8, easing: "ease-out" });
}

return { table, photograph, animate, speed, cardsOf, pileCalled };
})();
