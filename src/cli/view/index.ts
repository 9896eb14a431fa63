/**
 * `continuo view`: every session of this machine in a browser, by a server of its own on loopback.
 *
 * Promises: only the tab that opens the printed address first gets in, and nobody else on the machine or the network; no
 * command line has an address that lets anybody in; the server ends with the command.
 * Does not know: what the server answers, and how the page draws it.
 */

export { addViewCommand } from "./commands.ts";
export { openPageWork } from "./work.ts";
