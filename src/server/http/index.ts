/**
 * HTTP itself: bodies, errors as responses, and the checks of every request.
 *
 * Promises: no body is read beyond its limit.
 * Does not know: streams, channels, tokens.
 */

export { readBody, readJsonObject } from "./body.ts";
export { type Gate, gateRefusal, guardHeaders, isKnownOrigin, PREFLIGHT_HEADERS } from "./gate.ts";
export { failure, readFailure } from "./responses.ts";
