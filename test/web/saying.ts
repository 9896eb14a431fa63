/** Counts the changes of a page while it shows an answer that is still streaming. */

/** Records the changes in the text that is streaming. */
export const WATCH_SAYING = `changed = [];
  new MutationObserver((records) => {
    for (const { type, target } of records) changed.push(type + " " + target.nodeName);
  }).observe(document.querySelector(".saying"), {
    childList: true, subtree: true, characterData: true, attributes: true,
  });`;
