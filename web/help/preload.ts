/**
 * Parts of the page that are needed after its first view. All parts are loaded at once, because another program may
 * later use the port of a server that has ended.
 */

/** Set by the build: the style of the parts that are not on the page at first. */
declare const CONTINUO_LATER_STYLE: string;

const parts = document.querySelector<HTMLElement>("[data-later]")?.dataset.later ?? "";

export function loadLater(): void {
  append("stylesheet", CONTINUO_LATER_STYLE);
  for (const name of parts.split(" ")) append("modulepreload", `/assets/${name}`);
}

function append(rel: "stylesheet" | "modulepreload", href: string): void {
  document.head.append(Object.assign(document.createElement("link"), { rel, href }));
}
