/**
 * Requests that live as long as the streams that answer them. A request follows the signal that it was made with only
 * while it lives: Node drops the abort if the request was collected as garbage, and the stream would stay open for a
 * reader who has gone.
 */

const REQUESTS = new WeakMap<ReadableStream, readonly Request[]>();

/** Returns the stream. */
export function keepRequests<Body extends ReadableStream>(body: Body, ...requests: readonly Request[]): Body {
  REQUESTS.set(body, requests);
  return body;
}
