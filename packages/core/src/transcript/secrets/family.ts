/** A family of secrets: how to find them in a text. */

export interface SecretFamily {
  /** The text that a reader sees instead of the secret. */
  readonly name: string;
  /** One of them is in every match, so that other texts are not searched; absent where case is ignored. */
  readonly hints?: readonly string[];
  /**
   * Takes linear time: every run of characters is bounded, or ends the pattern. Where the secret is only a part of what
   * matches, that part is the group `secret`.
   */
  readonly pattern: RegExp;
  /** Rejects a match that only looks like a secret. */
  readonly isSecret?: (secret: string) => boolean;
}

/**
 * Before a key: nothing that continues a word. After a line feed in JSON text (`\n`), a colour of a terminal
 * (`ESC[31m`) or a byte in a URL (`%3D`) a letter may be before it nevertheless.
 */
const START = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt]|%[0-9A-Fa-f]{2}|\[[0-9;]{1,10}m))`;

export function key(name: string, hints: readonly string[], form: RegExp): SecretFamily {
  return { name, hints, pattern: new RegExp(`${START}(?:${form.source})`, "gu") };
}
