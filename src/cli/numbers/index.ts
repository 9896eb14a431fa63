/**
 * The meaning of the numbers of a terminal: the results of its last search, and the rows of its last list.
 *
 * Promises: numbers belong to one terminal, because another window shows other numbers; they last a week; if they
 * cannot be stored, the list itself is still on the screen.
 * Does not know: the numbered things.
 */

export { keepNumbered, numbered } from "./numbers.ts";
