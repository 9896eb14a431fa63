/**
 * The terminal, and its replacement when output goes to a file or a pipe.
 *
 * Promises: colours, progress and the pager appear only on a terminal; output is never written faster than it is
 * read.
 * Does not know: sessions, or any command.
 */

export { askLine, canAsk, confirm } from "./confirm.ts";
export { createFileOutput, type FileOutput } from "./file-output.ts";
export { createOutput, type Output, writeJsonList } from "./output.ts";
export { page } from "./pager.ts";
export { type Paint, paintFor, type Style } from "./paint.ts";
export { createProgress, type Progress } from "./progress.ts";
export { type Screen, screenOf } from "./screen.ts";
export { sentenceLines, writeNote } from "./sentences.ts";
export type { DetachedCommand, ProgramRun, SessionWish, Shell } from "./shell.ts";
export { type Column, layOut } from "./table.ts";
export {
  clockTime,
  type ErrorJson,
  errorToJson,
  formatCost,
  formatCount,
  formatSize,
  parseSince,
  plural,
  projectName,
  relativeTime,
  shortAge,
  tildePath,
  toJsonText,
} from "./text.ts";
export { callHead, resultHead, STATUS_LOOKS, shortenLines } from "./tool-lines.ts";
export { afterInput, INTERRUPT, takeInterrupts } from "./typed-input.ts";
export { cutEnd, cutStart, type Span, widthOf, wrap } from "./width.ts";
