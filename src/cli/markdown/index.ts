/**
 * Draws Markdown as lines of a terminal.
 *
 * It uses only the lexer of `marked`. `marked-terminal` was measured and rejected: it takes 110 ms to load, silently
 * drops control characters, turns `:name:` into emoji and `+` in links into spaces, and counts columns in UTF-16
 * units.
 *
 * Promises: text is never dropped: an unknown kind of token is drawn as it was written. The caller makes the text
 * visible first (`visibleText`).
 * Does not know: messages.
 */

export { drawMarkdown } from "./blocks.ts";
