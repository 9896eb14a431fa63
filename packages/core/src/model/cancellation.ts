/**
 * Errors of calls that their signal ended. Inner code throws the signal's own reason; a public function turns any
 * reason into one error with a code.
 */

import { ContinuoError, isContinuoError, messageOf } from "./errors.ts";

/** Returns `cancelled`, with the reason as its cause; a reason that has a code already is returned as it is. */
export function toCancelled({ reason }: AbortSignal): ContinuoError {
  if (isContinuoError(reason)) return reason;
  const isAbort = reason instanceof Error && reason.name === "AbortError";
  const why = isAbort ? "" : `: ${messageOf(reason)}`;
  return new ContinuoError("cancelled", `the call was cancelled by its signal${why}`, { cause: reason });
}

/** The result of `work`. Errors: `cancelled` if the signal ended it, or was aborted before `work` was called. */
export async function cancellable<T>(
  signal: AbortSignal | undefined,
  work: () => T | PromiseLike<T>,
): Promise<T> {
  if (signal === undefined) return await work();
  if (signal.aborted) throw toCancelled(signal);
  try {
    return await work();
  } catch (error) {
    throw isOfSignal(error, signal) ? toCancelled(signal) : error;
  }
}

/** The items of `work`. Errors: as `cancellable`. */
export async function* cancellableItems<T>(
  signal: AbortSignal | undefined,
  work: () => AsyncIterable<T>,
): AsyncGenerator<T, void, void> {
  if (signal?.aborted === true) throw toCancelled(signal);
  try {
    yield* work();
  } catch (error) {
    throw signal !== undefined && isOfSignal(error, signal) ? toCancelled(signal) : error;
  }
}

/** Node's own functions throw an error of their own in place of the reason. */
function isOfSignal(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}

/**
 * True if one item failed in an expected way, so that the call continues with the next item. An error that ends the
 * call itself, such as a cancellation, is not such a failure.
 */
export function isFailure(error: unknown): error is ContinuoError {
  return (
    isContinuoError(error) && !isContinuoError(error, "cancelled") && !isContinuoError(error, "interrupted")
  );
}
