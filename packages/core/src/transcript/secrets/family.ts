/** A family of secrets: how to find them in a text. */

export interface SecretFamily {
  /** The text that a reader sees instead of the secret. */
  readonly name: string;
  /** Every match contains one of these, so that texts without them are not searched; absent if case is ignored. */
  readonly hints?: readonly string[];
  /**
   * A pattern that is matched in linear time: every repetition has a maximum, or is at the end of the pattern. If the
   * secret is only a part of the match, that part is the group `secret`.
   */
  readonly pattern: RegExp;
  /** Rejects a match that only looks like a secret. */
  readonly isSecret?: (secret: string) => boolean;
}

/**
 * A key must not come directly after a letter, a digit or an underscore, except if this character is the end of an
 * escape: a line feed in JSON text (`\n`), a colour of a terminal (`ESC[31m`) or a byte in a URL (`%3D`).
 */
const START = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt]|%[0-9A-Fa-f]{2}|\[[0-9;]{1,10}m))`;

export function key(name: string, hints: readonly string[], form: RegExp): SecretFamily {
  return { name, hints, pattern: new RegExp(`${START}(?:${form.source})`, "gu") };
}
