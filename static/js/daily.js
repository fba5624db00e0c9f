// The time that is left of the day, by the server's clock; when it is over, the new day's deals are fetched.
(() => {
"use strict";
const place = document.querySelector("[data-until]");
if (!place) return;
const ahead = Number(place.dataset.now) - Date.now(), two = n => String(n).padStart(2, "0");
setInterval(() => {
  const seconds = Math.ceil((Number(place.dataset.until) - Date.now() - ahead) / 1000);
  if (seconds < 0) { location.reload(); return; }
  place.textContent = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}, 500);
})();
