/** The columns of text with emoji and joined letters: bundled as a file of its own, because it is rarely needed and large. */

export { default } from "string-width";
