/** Notes as Markdown, with their texts escaped. Pure. */

import { visibleLine } from "../../src/transcript/index.ts";
import type { ShownNote } from "./at.ts";
import { mediaTime } from "./paths.ts";

export function notesAsMarkdown(title: string, notes: readonly ShownNote[]): string {
  const lines = notes.map(({ version: { text, startMs, endMs, status, by } }) => {
    const span = endMs > startMs ? `${mediaTime(startMs)}–${mediaTime(endMs)}` : mediaTime(startMs);
    const marks = [status === "written" ? "" : status, by === "person" ? "by a person" : ""];
    const mark = marks.filter((one) => one !== "").join(", ");
    return `- **${span}**${mark === "" ? "" : ` (${mark})`} ${plain(text)}`;
  });
  return `${[`# ${plain(title)}`, "", ...lines].join("\n")}\n`;
}

/** One line in which nothing is markup. */
function plain(text: string): string {
  return visibleLine(text)
    .replaceAll("␊", " ")
    .replaceAll(/[\\`*_[\]<>#|~]/gu, (character) => `\\${character}`);
}
