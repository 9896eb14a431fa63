/**
 * The session to which a command refers, and notices on stderr: it is an example, or an edit is unfinished; and the
 * meaning of the numbers that the last search or list of a terminal showed.
 *
 * Promises: a person who names no session, or several, chooses one on a terminal, and elsewhere gets an error with
 * titles; a notice has one or two lines, which are safe for a terminal; numbers belong to one terminal, because another
 * window shows other numbers.
 * Does not know: any command.
 */

export { chooseInstead, locate, matchLines, warnOfUnfinished } from "./notices.ts";
export { keepNumbered, numbered } from "./numbers.ts";
export { describeResumePrice, resumePriceLines, resumePriceLinesOf } from "./resume-price.ts";
export { sessionToResume } from "./resumed-session.ts";
export { keepRows, nameOfRow } from "./row-numbers.ts";
