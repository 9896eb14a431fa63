/**
 * Colours for code on the screen: a worker finds the words, and this file paints them as ranges over the text (CSS
 * Custom Highlight API), so that no element is added and no text of a session becomes markup.
 */

import { startColourWorker } from "../content/trusted-html.ts";
import type { ColourAnswer, ColourRequest, HighlightRanges } from "./tokens.ts";

const MAX_CHARS = 60_000;
/** The longest wait for an idle page before code is coloured. */
const IDLE_MS = 500;

let worker: Worker | null = null;
let asked = 0;
const waiting = new Map<number, (painted: readonly HighlightRanges[]) => void>();

/** Colours code with a language below `element`; the returned function removes the colours. */
export function colourCode(element: Element): () => void {
  if (typeof Highlight === "undefined" || typeof CSS.highlights === "undefined") return () => undefined;
  const done: (() => void)[] = [];
  let isLeft = false;
  for (const code of element.querySelectorAll<HTMLElement>("[data-language]")) {
    const texts = textNodesOf(code);
    const isDiff = code.classList.contains("diff");
    const length = texts.reduce((sum, node) => sum + node.data.length, 0);
    if (length > MAX_CHARS) continue;
    const lines = isDiff ? texts.map(lineOf) : null;
    const text = texts.map((node) => node.data).join("");
    void ask({ language: code.dataset.language ?? "", text, lines }).then((painted) => {
      if (!isLeft) done.push(paint(texts, painted));
    });
  }
  return () => {
    isLeft = true;
    for (const undo of done) undo();
  };
}

function lineOf(node: Text): string {
  const kind = node.parentElement?.className ?? "";
  return kind === "del" ? "-" : kind === "ins" ? "+" : kind === "gap" ? "…" : " ";
}

function textNodesOf(element: Element): Text[] {
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) nodes.push(node as Text);
  return nodes;
}

type FindWords = (request: Omit<ColourRequest, "id">) => readonly HighlightRanges[];

let findHere: FindWords | null = null;

/** For a page that cannot start a worker: colours code when the browser is idle. */
export function colourWith(find: FindWords): void {
  findHere = find;
}

function ask(request: Omit<ColourRequest, "id">): Promise<readonly HighlightRanges[]> {
  const find = findHere;
  if (find !== null) {
    return new Promise((resolve) => {
      // On a busy machine the browser may not be idle for minutes.
      requestIdleCallback(() => resolve(find(request)), { timeout: IDLE_MS });
    });
  }
  worker ??= start();
  const id = ++asked;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker?.postMessage({ ...request, id });
  });
}

function start(): Worker | null {
  const started = startColourWorker();
  started?.addEventListener("message", ({ data }: MessageEvent<ColourAnswer>) => {
    waiting.get(data.id)?.(data.painted);
    waiting.delete(data.id);
  });
  return started;
}

function paint(nodes: readonly Text[], painted: readonly HighlightRanges[]): () => void {
  const made: (readonly [Highlight, Range])[] = [];
  let start = 0;
  let at = 0;
  for (const { from, to, name } of painted) {
    // Words are in order. No word crosses the end of its node, because a line ends there.
    while (at < nodes.length && from >= start + (nodes[at]?.data.length ?? 0)) {
      start += nodes[at]?.data.length ?? 0;
      at += 1;
    }
    const node = nodes[at];
    if (node === undefined || !node.isConnected) break;
    const range = new Range();
    range.setStart(node, from - start);
    range.setEnd(node, Math.min(to - start, node.data.length));
    const highlight = highlightOf(name);
    highlight.add(range);
    made.push([highlight, range]);
  }
  return () => {
    for (const [highlight, range] of made) highlight.delete(range);
  };
}

function highlightOf(name: string): Highlight {
  const known = CSS.highlights.get(name);
  if (known !== undefined) return known;
  const made = new Highlight();
  if (name.startsWith("word-")) made.priority = -1;
  CSS.highlights.set(name, made);
  return made;
}
