/** Renders the input of a call: its changes of files as differences, everything else as it is. */

import type { ToolCallBlock } from "../../model/index.ts";
import { type ChangedFile, changesOf, type DiffLine, mainArgument } from "../render/index.ts";
import { escapePath, escapeVisible } from "./escape.ts";

/** A longer difference is folded with its call. */
const MAX_OPEN_LINES = 40;

export interface InputHtml {
  readonly html: string;
  /** True if a reader should see it without opening it. */
  readonly isOpen: boolean;
}

/** `input` is the whole input, visible text. */
export function inputToHtml(block: ToolCallBlock, input: string): InputHtml {
  const isRaw = block.rawArgs !== undefined && Object.keys(block.args).length === 0;
  const files = changesOf(isRaw ? block.rawArgs : block.args);
  const whole = `<pre>${escapeVisible(input)}</pre>`;
  const lines = files.reduce((sum, file) => sum + file.lines.length, 0);
  if (lines === 0) return { html: whole, isOpen: false };
  const named = isRaw ? null : mainArgument(block.args);
  const html = `${files.map((file) => fileToHtml(file, named)).join("")}<details class="input"><summary>Whole input</summary>${whole}</details>`;
  return { html, isOpen: lines <= MAX_OPEN_LINES };
}

/** `named` is the path that the line of the call already shows. */
function fileToHtml({ path, lines }: ChangedFile, named: string | null): string {
  const name = path === null || path === named ? "" : `<p class="path"><bdi>${escapePath(path)}</bdi></p>`;
  return `${name}<pre class="diff">${lines.map(lineToHtml).join("\n")}</pre>`;
}

const KINDS: Readonly<Record<DiffLine["sign"], string>> = { "-": "del", "+": "ins", " ": "", "…": "gap" };

function lineToHtml({ sign, text }: DiffLine): string {
  const line = escapeVisible(`${sign} ${text}`);
  return KINDS[sign] === "" ? line : `<span class="${KINDS[sign]}">${line}</span>`;
}
