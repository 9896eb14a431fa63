/**
 * The first words of a prompt, which are the title of a turn. This is a separate file, because a page needs it before
 * the code that renders messages.
 */

import type { Message } from "../../model/index.ts";
import { messageKind, toParts } from "../render/index.ts";

const MAX_TITLE_CHARS = 80;

/** The first words of what a person said, one line of visible text; `null` for messages of others. */
export function turnTitle(message: Message): string | null {
  if (messageKind(message) !== "person") return null;
  const [part] = toParts(message, { invisible: "kept" }).filter(
    ({ type }) => type === "text" || type === "media",
  );
  const words = part?.type === "text" ? part.text : part?.type === "media" ? `[${part.label}]` : "";
  const line = words
    .slice(0, 1_000)
    .replaceAll(/[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu, (gap) => (/\s/u.test(gap) ? " " : ""))
    .trim();
  const characters = [...line];
  if (characters.length === 0) return null;
  return characters.length > MAX_TITLE_CHARS ? `${characters.slice(0, MAX_TITLE_CHARS - 1).join("")}…` : line;
}
