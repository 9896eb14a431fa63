/** JSON that is safe to look at. */

/** `JSON.stringify` leaves what stands above ASCII; terminals obey some of it, and eyes are deceived by some. */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The same value; controls and bidirectional overrides are written as escapes. */
export function toJsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(
    OBEYED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
