/**
 * The width of text with emoji and joined letters: bundled as a separate file, because it is rarely needed and large.
 */

export { default } from "string-width";
