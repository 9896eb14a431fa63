/**
 * `continuo view`: every session of this machine in a browser, by a separate server on loopback.
 *
 * Promises: only the tab that first opens the printed address gets access, and nobody else on the machine or the
 * network; no command line contains an address that gives access; the server ends with the command.
 * Does not know: what the server answers, and how the page is drawn.
 */

export { addViewCommand } from "./commands.ts";
export { openPageWork } from "./work.ts";
