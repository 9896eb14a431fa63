/**
 * Markdown drawn as lines of a terminal.
 *
 * Stands on the lexer of `marked` alone. `marked-terminal` was measured and left out: it takes 110 ms to load,
 * drops control characters in silence, turns `:name:` into emoji and `+` in links into spaces, and counts
 * columns in UTF-16 units.
 *
 * Promises: text is drawn, never dropped: a token of an unknown kind is drawn as it was written. Text must be
 * visible already (`visibleText`).
 * Does not know: messages.
 */

export { drawMarkdown } from "./blocks.ts";
