/**
 * Texts cut to a length, never between the two halves of a character. Lengths are in UTF-16 units, as those of strings
 * are. Pure.
 */

/** The beginning of the text, of at most `maxChars` units; one less where the last one would be half of a character. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, isHighSurrogate(last) ? maxChars - 1 : maxChars);
}

/** Like `cutText`, but a text that was cut ends with `…`, which counts as one of the `maxChars` units. */
export function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutText(text, maxChars - 1)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
