/**
 * Messages as one HTML page that needs nothing but itself.
 *
 * Promises: pure. Everything from a session is escaped; no script, no style, no address of a session is
 * obeyed or fetched: the page forbids it to the browser too (Content-Security-Policy), and links are left to
 * the person, with their full address shown. Given message by message, so that a page can be any length.
 * Does not know: files, agents, servers.
 */

export { messageToHtml } from "./message.ts";
export { branchToHtml, type HtmlPage, pageEnd, pageStart } from "./page.ts";
