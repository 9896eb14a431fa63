/** Errors from other code, which may throw anything. */

import { ContinuoError, ERROR_KINDS, isContinuoError, messageOf } from "./errors.ts";
import { toPlainJson } from "./plain-json.ts";
import { present } from "./present.ts";

/**
 * Returns a copy that can be read without harm: a `ContinuoError` with the same code, or an error that only has
 * a message. Only this function reads the thrown value, which becomes the `cause`.
 */
export function knownError(thrown: unknown): Error {
  try {
    if (isContinuoError(thrown)) return copyOfOurs(thrown);
  } catch {
    // A value that cannot be read is not a `ContinuoError`.
  }
  return new Error(messageOf(thrown), { cause: thrown });
}

/** Errors: whatever it throws when it is read. */
function copyOfOurs(thrown: ContinuoError): ContinuoError {
  const { code, message, hint, details } = thrown;
  if (typeof code !== "string" || !Object.hasOwn(ERROR_KINDS, code))
    throw new TypeError("there is no such code");
  const text = typeof hint === "string" ? hint : undefined;
  const kept = toPlainJson(details) as ContinuoError["details"];
  return new ContinuoError(code, messageOf(message), {
    ...present({ hint: text }),
    details: kept,
    cause: thrown,
  });
}
