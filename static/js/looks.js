// The looks of the table show at once and are kept in the background. Without scripts the form's button keeps them.
(() => {
"use strict";
const form = document.querySelector("form[data-looks]");
if (!form) return;
const root = document.documentElement;
const classes = { left_handed: { yes: "left" }, clock: { hidden: "noclock" }, double_tap: { off: "single" }, four_colour: { yes: "four" },
  faces: { full: "full", compact: "compact" }, animation: { fast: "fast", slow: "slow", off: "still" }, light: { light: "light", dark: "dark" },
  felt: { blue: "felt-blue", wine: "felt-wine", slate: "felt-slate" } };

form.querySelector("button").hidden = true;
form.addEventListener("change", async event => {
  const field = event.target, of = classes[field.name] ?? {};
  const value = field.type === "checkbox" ? (field.checked ? field.value : "") : field.value;
  root.classList.remove(...Object.values(of));
  if (of[value]) root.classList.add(of[value]);
  await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" });
  if (field.name === "dress") location.reload();
});
})();
