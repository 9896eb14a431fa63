/** Notes as Markdown, with their texts escaped. Pure. */

import { visibleLine } from "@continuo/core/transcript";
import type { NoteVersion } from "./fold.ts";
import { mediaTime } from "./paths.ts";

export function notesAsMarkdown(title: string, notes: readonly NoteVersion[]): string {
  const lines = notes.map((note) => {
    const { startMs, endMs, status, by } = note;
    const span = endMs > startMs ? `${mediaTime(startMs)}–${mediaTime(endMs)}` : mediaTime(startMs);
    const marks = [status === "written" ? "" : status, by === "person" ? "by a person" : ""];
    const mark = marks.filter((one) => one !== "").join(", ");
    return `- **${span}**${mark === "" ? "" : ` (${mark})`} ${plain(shownText(note))}`;
  });
  return `${[`# ${plain(title)}`, "", ...lines].join("\n")}\n`;
}

/** Returns the text of a note, with a mark if the server shortened it. */
export function shownText({ text, cut }: Pick<NoteVersion, "text" | "cut">): string {
  const left = (cut?.content ?? 0) - text.length;
  return left > 0 ? `${text}… (${left.toLocaleString("en")} more characters)` : text;
}

/** One line that contains no markup. */
function plain(text: string): string {
  return visibleLine(text)
    .replaceAll("␊", " ")
    .replaceAll(/[\\`*_[\]<>#|~]/gu, (character) => `\\${character}`);
}
