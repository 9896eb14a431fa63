/**
 * `session export`: one session as one file, with or without its secrets.
 *
 * Promises: a file is written completely or not at all; masked secrets are counted.
 * Does not know: how a conversation is drawn.
 */

export { runExport, writeExport } from "./export.ts";
export { type ExportFlags, type ExportFormat, isMany } from "./flags.ts";
