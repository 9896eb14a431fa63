/** What somebody else's code threw, which may be anything. */

import { ContinuoError, ERROR_KINDS, isContinuoError, messageOf } from "./errors.ts";
import { toPlainJson } from "./plain-json.ts";
import { present } from "./present.ts";

/**
 * A copy that can be looked at without harm: an error of ours with the same code, or an error that only has a message.
 * What was thrown is read here, and is the `cause`.
 */
export function knownError(thrown: unknown): Error {
  try {
    if (isContinuoError(thrown)) return copyOfOurs(thrown);
  } catch {
    // What cannot be read is no error of ours.
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
