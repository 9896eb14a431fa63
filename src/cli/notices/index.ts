/**
 * The session to which a command refers, and notices on stderr: it is an example, or an edit is unfinished.
 *
 * Promises: a person who names no session, or several, chooses one on a terminal, and elsewhere gets an error with
 * titles; a notice has one or two lines, which are safe for a terminal.
 * Does not know: any command.
 */

export { chooseInstead, locate, matchLines, warnOfUnfinished } from "./notices.ts";
export { describeResumePrice, resumePriceLines, resumePriceLinesOf } from "./resume-price.ts";
export { sessionToResume } from "./resumed-session.ts";
export { keepRows, nameOfRow } from "./row-numbers.ts";
