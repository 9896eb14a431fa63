/** Counts what a page changes while it shows words that are being said. */

/** Remembers what changes in the text that is being said. */
export const WATCH_SAYING = `changed = [];
  new MutationObserver((records) => {
    for (const { type, target } of records) changed.push(type + " " + target.nodeName);
  }).observe(document.querySelector(".saying"), {
    childList: true, subtree: true, characterData: true, attributes: true,
  });`;
