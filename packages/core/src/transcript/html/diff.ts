/** A change of a file as a code review shows it: numbered lines, each with its sign, below the name of the file. */

import type { ChangedFile } from "../render/index.ts";
import { visibleLine } from "../render/index.ts";
import { escapePath, escapeVisible } from "./escape.ts";
import { languageAttribute } from "./language.ts";

export interface NumberedLine {
  readonly sign: "-" | "+" | " " | "…";
  readonly text: string;
  /** The numbers of the lines, if they are known. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface NumberedFile {
  readonly path: string | null;
  readonly lines: readonly NumberedLine[];
}

/** Lines beyond this number are counted, but not shown. */
const MAX_LINES = 600;

/** Returns `files` with the line numbers of the agent's result, if it has them; otherwise with those of the call. */
export function numbered(files: readonly ChangedFile[], details: unknown): readonly NumberedFile[] {
  const patch = patchOf(details);
  const path = files[0]?.path ?? null;
  if (files.length === 1 && patch.length > 0) return [{ path, lines: patch }];
  return files.map((file) => ({
    path: file.path,
    lines: file.lines.map(({ before = null, after = null, ...line }) => ({ ...line, before, after })),
  }));
}

/** `structuredPatch` of Claude Code: hunks with the numbers of their first lines. */
function patchOf(details: unknown): NumberedLine[] {
  const { structuredPatch } = asRecord(details);
  if (!Array.isArray(structuredPatch)) return [];
  const lines: NumberedLine[] = [];
  for (const hunk of structuredPatch) {
    const { oldStart, newStart, lines: texts } = asRecord(hunk);
    if (typeof oldStart !== "number" || typeof newStart !== "number" || !Array.isArray(texts)) return [];
    if (lines.length > 0) lines.push({ sign: "…", text: "", before: null, after: null });
    let [before, after] = [oldStart, newStart];
    for (const text of texts) {
      if (typeof text !== "string" || text.startsWith("\\")) continue;
      const sign = text.startsWith("-") ? "-" : text.startsWith("+") ? "+" : " ";
      lines.push({
        sign,
        text: visibleLine(text.slice(1)),
        before: sign === "+" ? null : before++,
        after: sign === "-" ? null : after++,
      });
    }
  }
  return lines;
}

export function filesToHtml(files: readonly NumberedFile[]): string {
  return files
    .map((file) => {
      const name = file.path === null ? "" : `<bdi>${escapePath(file.path)}</bdi> `;
      return `<p class="path">${name}${changedLines(file.lines)}</p>${linesOfFile(file)}`;
    })
    .join("");
}

/** `+3 −1`. */
export function changedLines(lines: readonly NumberedLine[]): string {
  const count = (sign: string): number => lines.filter((line) => line.sign === sign).length;
  return `+${count("+")} −${count("-")}`;
}

export function linesOfFile({ path, lines }: NumberedFile): string {
  const left = lines.length - MAX_LINES;
  const rest = left > 0 ? `<p class="note">${left} more lines are not shown</p>` : "";
  return `<pre class="diff"${languageAttribute(path)}>${linesToHtml(lines.slice(0, MAX_LINES))}</pre>${rest}`;
}

const KINDS: Readonly<Record<NumberedLine["sign"], string>> = {
  "-": "del",
  "+": "ins",
  " ": "same",
  "…": "gap",
};

/** Numbers and signs are attributes, so that a reader selects and copies only the code. */
export function linesToHtml(lines: readonly NumberedLine[]): string {
  const hasNumbers = lines.some(({ before, after }) => before !== null || after !== null);
  return lines
    .map(({ sign, text, before, after }) => {
      const numbers = hasNumbers ? ` data-before="${before ?? ""}" data-after="${after ?? ""}"` : "";
      return `<span class="${KINDS[sign]}"${numbers}>${escapeVisible(text)}\n</span>`;
    })
    .join("");
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
