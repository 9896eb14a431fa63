/**
 * The meaning of the numbers of a terminal: the results of its last search, and the rows of its last list.
 *
 * Promises: numbers belong to one terminal, because another window shows other ones; they last a week; what cannot be kept
 * can still be read on the screen.
 * Does not know: what is numbered.
 */

export { keepNumbered, numbered } from "./numbers.ts";
