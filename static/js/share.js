// Sharing a link: the device's own way where there is one, and the clipboard.
(() => {
"use strict";
for (const row of document.querySelectorAll("[data-share]")) {
  const { link, copied } = row.dataset, note = row.querySelector("[role=status]");
  const copy = row.querySelector("[data-copy]"), send = row.querySelector("[data-send]"), field = row.querySelector("input");
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(link); } catch { field.select(); document.execCommand("copy"); }
    note.textContent = copied;
  });
  if (navigator.share) {
    send.hidden = false;
    send.addEventListener("click", () => navigator.share({ title: document.title, url: link }).catch(() => {}));
  }
}
})();
