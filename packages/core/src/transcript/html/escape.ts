/** Text in HTML. */

import { visibleText } from "../render/index.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML and for attributes in quotes; invisible characters are made visible first. */
export function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");
}

/** Escapes text that is already visible text. */
export function escapeVisible(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");
}

/** Escapes visible text that is or contains a path: it may wrap after each slash. */
export function escapePath(text: string): string {
  return escapeVisible(text).replaceAll("/", "/<wbr>");
}
