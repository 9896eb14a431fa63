/** The one place where an id that somebody else chose becomes a part of a path. */

import { ContinuoError } from "@continuo/core/model";

const SAFE = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/u;
/** The limit leaves room for the characters that a file name adds to an id. */
const MAX_CHARS = 200;

/**
 * The id, if it is one plain name: no separator, no `..`, no hidden file, no option of a program.
 *
 * Errors: `invalid`.
 */
export function idInPath(id: string): string {
  if (SAFE.test(id) && !id.includes("..") && id.length <= MAX_CHARS) return id;
  throw new ContinuoError(
    "invalid",
    `cannot use the session id ${JSON.stringify(id)}: it cannot be part of a path`,
    {
      hint: "Check the session's file: no agent creates such an id.",
    },
  );
}
