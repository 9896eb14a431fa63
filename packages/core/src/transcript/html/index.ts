/**
 * Messages as one HTML page without external resources.
 *
 * Promises: pure. Everything from a session is escaped. The page runs no script, applies no style and fetches no
 * address from a session, and its Content-Security-Policy forbids all three; the only script is that of the search. The page
 * is produced message by message, so that it can have any length.
 * Does not know: files, agents, servers.
 */

export { type CallHtml, type CallKind, callToHtml, changesToHtml, resultToHtml } from "./call.ts";
export { linesToHtml, type NumberedLine } from "./diff.ts";
export { escapeHtml } from "./escape.ts";
export { headToHtml, type PageHead } from "./head.ts";
export { LANGUAGES, type Language, languageAttribute } from "./language.ts";
export { blockToHtml, messageToHtml, turnTitle } from "./message.ts";
export {
  branchToHtml,
  type ContentsLine,
  type HtmlPage,
  type HtmlSubagent,
  pageEnd,
  pageStart,
  subagentEnd,
  subagentStart,
} from "./page.ts";
