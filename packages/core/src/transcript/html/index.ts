/**
 * Messages as HTML without external resources.
 *
 * Promises: pure. Everything from a session is escaped: the markup runs no script, applies no style and fetches no
 * address from a session.
 * Does not know: pages, files, agents, servers.
 */

export { type CallHtml, type CallKind, callToHtml, changesToHtml, resultToHtml } from "./call.ts";
export { CUT_OFF_NOTE, isCutOff } from "./cut-off.ts";
export { linesToHtml, type NumberedLine, numbered } from "./diff.ts";
export { escapeHtml } from "./escape.ts";
export { headToHtml, type PageHead } from "./head.ts";
export { LANGUAGES, type Language, languageAttribute } from "./language.ts";
export { blockToHtml, messageToHtml } from "./message.ts";
export { turnTitle } from "./title.ts";
