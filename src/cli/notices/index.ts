/**
 * Notices on stderr: a command opened an example session, or met an unfinished edit.
 *
 * Promises: a line or two each, safe for a terminal.
 * Does not know: any command.
 */

export { locate, matchLines, warnOfUnfinished } from "./notices.ts";
