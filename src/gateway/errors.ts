/**
 * Converts errors of Continuo to errors of the protocol: the protocol's code, Continuo's message, and Continuo's code
 * and hint as data.
 */

import { RequestError } from "@agentclientprotocol/sdk/unstable";
import {
  ContinuoError,
  type ErrorCode,
  isContinuoError,
  knownCode,
  messageOf,
  present,
} from "@continuo/core/model";

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
  unsupported: INVALID_PARAMS,
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

interface FailedRun {
  readonly error: { readonly code: string; readonly message: string };
  /** The error as it was thrown; the stored one has no hint. */
  readonly cause?: unknown;
}

/**
 * Converts the error with which a run failed. `not_found` and `gone` are internal errors here: the code of the protocol
 * would say that the editor's session is gone, but the run missed something else.
 */
export function ofFailedRun({ error, cause }: FailedRun): RequestError {
  const code = knownCode(error.code, "agent_failed");
  const hint = isContinuoError(cause, code) ? cause.hint : undefined;
  const failure = toRequestError(new ContinuoError(code, error.message, present({ hint })));
  return failure.code === NOT_FOUND ? new RequestError(INTERNAL, failure.message, failure.data) : failure;
}

/** `Authentication required`. It is used only if the editor was offered a login. */
export function loginWanted(message: string): RequestError {
  return RequestError.authRequired(undefined, oneLine(message));
}

/** The protocol requires one line; a message of an agent may have several. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/gu, " ").trim();
}

type Handler<Request, Answer> = (request: Request) => Promise<Answer>;

/** Makes a handler whose errors reach the editor as errors of the protocol. */
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
