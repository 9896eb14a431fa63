/**
 * Notices on stderr: a command opened an example session, or ignored a part of a project's configuration.
 *
 * Promises: one line each, safe for a terminal.
 * Does not know: any command.
 */

export { locate, matchLines, warnOfUntrusted } from "./notices.ts";
