/**
 * HTTP: bodies, error responses, and the checks of every request.
 *
 * Promises: no body is read beyond its limit, and no JSON is parsed before its values are counted.
 * Does not know: streams, channels, tokens.
 */

export { countedAnswer, jsonAnswer, type SizedAnswer } from "./answers.ts";
export { readBody, readJsonObject } from "./body.ts";
export { downloadHeaders } from "./download.ts";
export { compressed, type Encoding, encodedAnswer, encodingFor } from "./encoded-answer.ts";
export {
  fetchMetadataOf,
  type Gate,
  gateRefusal,
  guardHeaders,
  isKnownOrigin,
  METHODS,
  POLICY_HEADER,
  PREFLIGHT_HEADERS,
  plainHeaders,
} from "./gate.ts";
export { mapElements, parseJson } from "./json.ts";
export { assertJsonShape } from "./json-shape.ts";
export { keepRequests } from "./kept-requests.ts";
export { received } from "./reception.ts";
export { badHandshake, createHintReport, failure, readFailure, refuseSocket } from "./responses.ts";
