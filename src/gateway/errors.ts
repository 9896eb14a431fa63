/** Errors of ours as errors of the protocol: the code that clients know, our words, our code and the hint as data. */

import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { type ErrorCode, isContinuoError, messageOf, present } from "@continuo/core/model";

/** `Resource not found` of the protocol. */
const NOT_FOUND = -32_002;
const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;

const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  not_found: NOT_FOUND,
  gone: NOT_FOUND,
  ambiguous: INVALID_PARAMS,
  invalid: INVALID_PARAMS,
  usage: INVALID_PARAMS,
  out_of_range: INVALID_PARAMS,
  too_large: INVALID_PARAMS,
};

export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!isContinuoError(error)) return new RequestError(INTERNAL, oneLine(messageOf(error)));
  const { code, message, hint } = error;
  const words = hint === undefined ? message : `${message}. ${hint}`;
  return new RequestError(CODES[code] ?? INTERNAL, oneLine(words), present({ code, hint }));
}

/** `Authentication required`: only where the editor was offered a way to log in, else the error has the hint in words. */
export function loginWanted(message: string): RequestError {
  return RequestError.authRequired(undefined, oneLine(message));
}

/** The protocol wants a line; the words of an agent may be several. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/gu, " ").trim();
}

type Handler<Request, Answer> = (request: Request) => Promise<Answer>;

/** Errors of ours reach the editor as errors of the protocol. */
export function asProtocolErrors<Request, Answer>(
  handle: Handler<Request, Answer>,
): Handler<Request, Answer> {
  return async (request) => {
    try {
      return await handle(request);
    } catch (error) {
      throw toRequestError(error);
    }
  };
}
