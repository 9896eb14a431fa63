/**
 * The search of the page: the one script that may run in it.
 *
 * The policy of the page names this script by its hash, so that nothing else runs, whatever stands in the page. It only
 * reads texts, hides what does not match, and opens folds; it makes no element and no markup of any text.
 */

export const SCRIPT: string = `"use strict";(() => {
const one = (name) => document.querySelector(name);
const box = one("#search"), input = one("#search input"), count = one("#search output");
const units = [...document.querySelectorAll("main > article, main > details")];
const marks = globalThis.Highlight && CSS.highlights ? new Highlight() : null;
let texts = null, hits = [], at = -1;
if (marks) CSS.highlights.set("found", marks);
const paint = (words) => {
  marks?.clear();
  for (const hit of words ? hits : []) {
    const walk = document.createTreeWalker(hit, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node && marks && marks.size < 2000; node = walk.nextNode()) {
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;
      for (let from = text.indexOf(words); from >= 0 && marks.size < 2000; from = text.indexOf(words, from + words.length)) {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, from + words.length);
        marks.add(range);
      }
    }
  }
};
const search = () => {
  const words = input.value.trim().toLowerCase();
  texts ??= units.map((unit) => unit.textContent.toLowerCase());
  hits = units.filter((unit, index) => words !== "" && texts[index].includes(words));
  const found = new Set(hits);
  for (const unit of units) unit.classList.toggle("miss", words !== "" && !found.has(unit));
  at = -1;
  count.textContent = words === "" ? "" : hits.length + " of " + units.length;
  paint(words);
};
const go = (step) => {
  if (hits.length === 0) return;
  at = (at + step + hits.length) % hits.length;
  const hit = hits[at], words = input.value.trim().toLowerCase();
  for (const fold of [hit, ...hit.querySelectorAll("details")])
    if (fold.localName === "details" && fold.textContent.toLowerCase().includes(words)) fold.open = true;
  hit.scrollIntoView({ block: "start" });
  count.textContent = at + 1 + " of " + hits.length;
};
input.addEventListener("input", search);
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") { event.preventDefault(); go(event.shiftKey ? -1 : 1); }
  if (event.key === "Escape") { input.value = ""; search(); }
});
const [before, after] = box.querySelectorAll("button");
before.addEventListener("click", () => go(-1));
after.addEventListener("click", () => go(1));
addEventListener("hashchange", () => {
  if (one(":target.miss")) { input.value = ""; search(); one(":target").scrollIntoView(); }
});
box.hidden = false;
const contents = one("nav > details");
if (contents && matchMedia("(min-width: 75rem)").matches) contents.open = true;
})();`;

/** SHA-256 of the script, in base64; a test compares them. */
export const SCRIPT_HASH = "prFGRI/1C4ZZ48jmH4MjB7UhcNdqbb7jGJRfICKbK9M=";
