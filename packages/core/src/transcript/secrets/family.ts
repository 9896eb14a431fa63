/** A family of secrets: how to find them in a text. */

export interface SecretFamily {
  /** The text that a reader sees instead of the secret. */
  readonly name: string;
  /** Every match contains one of these, so that texts without them are not searched; absent if case is ignored. */
  readonly hints?: readonly string[];
  /**
   * A pattern that takes linear time: every run of characters is bounded, or ends the pattern. If the secret is only a
   * part of the match, that part is the group `secret`.
   */
  readonly pattern: RegExp;
  /** Rejects a match that only looks like a secret. */
  readonly isSecret?: (secret: string) => boolean;
}

/**
 * No character of a word may precede a key. After a line feed in JSON text (`\n`), a colour of a terminal (`ESC[31m`)
 * or a byte in a URL (`%3D`) a letter may precede it nevertheless.
 */
const START = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt]|%[0-9A-Fa-f]{2}|\[[0-9;]{1,10}m))`;

export function key(name: string, hints: readonly string[], form: RegExp): SecretFamily {
  return { name, hints, pattern: new RegExp(`${START}(?:${form.source})`, "gu") };
}
