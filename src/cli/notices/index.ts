/**
 * The session that a command is about, and notices on stderr: it is an example, or an edit is unfinished.
 *
 * Promises: a person who names no session, or several, chooses one on a terminal, and gets an error with titles elsewhere;
 * notices are a line or two, safe for a terminal.
 * Does not know: any command.
 */

export { chooseInstead, locate, matchLines, warnOfUnfinished } from "./notices.ts";
export { describeResumePrice, resumePriceLines, resumePriceLinesOf } from "./resume-price.ts";
export { sessionToResume } from "./resumed-session.ts";
export { keepRows, nameOfRow } from "./row-numbers.ts";
