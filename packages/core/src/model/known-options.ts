/** Options that a function has: any other one is refused, because a misspelt limit would limit nothing. */

import { ContinuoError } from "./errors.ts";
import { nearest } from "./nearest.ts";

/** Every option of `Options`: the compiler refuses a table that lacks one. */
export type KnownOptions<Options> = Readonly<Record<keyof Options & string, true>>;

/**
 * `what` is in the message, as in `there is no option timeoutMS of a run`; the keys of `known` are the options that
 * there are. Errors: `usage`.
 */
export function assertKnownOptions(what: string, options: object, known: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, Object.keys(known));
  throw new ContinuoError("usage", `there is no option ${unknown} of ${what}`, {
    ...(meant === null ? {} : { hint: `Use ${meant}.` }),
  });
}
