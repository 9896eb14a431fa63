/** Text in HTML. */

import { visibleText } from "../render/index.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For text and for attributes in quotes; invisible characters are made visible first. */
export function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");
}

/** For text that is already visible text. */
export function escapeVisible(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");
}

/** For visible text that is or holds a path: it may wrap after each slash. */
export function escapePath(text: string): string {
  return escapeVisible(text).replaceAll("/", "/<wbr>");
}
