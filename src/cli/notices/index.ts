/**
 * Notices on stderr: a command opened an example session, met an unfinished edit, or ignored a part of a project's
 * configuration.
 *
 * Promises: a line or two each, safe for a terminal.
 * Does not know: any command.
 */

export { locate, matchLines, warnOfUnfinished, warnOfUntrusted } from "./notices.ts";
