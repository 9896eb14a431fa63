/** Summarizes what a program injected for the model: the names of the parts, and their first words. Pure. */

import { type Message, shorten } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";

const MAX_CHARS = 200;

/** `<environment_context>`, `<permissions instructions>`, `# AGENTS.md instructions for /app`. */
const TAG = /^<([a-z][\w-]*(?: [\w-]+(?=[\s>]))*)[^>]*>\s*/iu;
const HEADING = /^#{1,6} +(.+)/u;

/** `Environment context: /home/ann/app … · Skills instructions`. */
export function injectedWords(messages: readonly Pick<Message, "content">[]): string {
  const texts = messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "text" && block.text.trim() !== "" ? [block.text.trim()] : [],
    ),
  );
  const words = texts.map((text) => wordsOf(text, texts.length === 1 ? MAX_CHARS : 60));
  return visibleLine(shorten(words.join(" · "), 2 * MAX_CHARS)).replaceAll("␊", " ");
}

function wordsOf(text: string, chars: number): string {
  const beginning = text.slice(0, 2_000);
  const [, heading] = HEADING.exec(beginning) ?? [];
  if (heading !== undefined) return shorten(heading, chars);
  const [opening = "", tag] = TAG.exec(beginning) ?? [];
  const rest = beginning
    .slice(opening.length)
    .replaceAll(/<\/?[a-z][^>]*>/giu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  if (tag === undefined) return shorten(rest, chars);
  const name = tag.replaceAll(/[_-]/gu, " ").trim();
  const named = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return rest === "" ? named : shorten(`${named}: ${rest}`, chars);
}
