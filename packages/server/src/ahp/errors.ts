/** Errors in the form of the protocol: a number, a sentence, and the next step for a client. */

import { type ErrorCode, isContinuoError } from "@continuo/core/model";
import { toWireError } from "@continuo/core/wire";
import { AHP_ERRORS } from "./protocol.ts";

/** An error with a number of the protocol. */
export class AhpError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const CODES: Partial<Readonly<Record<ErrorCode, number>>> = {
  not_found: AHP_ERRORS.notFound,
  forbidden: AHP_ERRORS.permissionDenied,
  unauthorized: AHP_ERRORS.permissionDenied,
  invalid: AHP_ERRORS.invalidParams,
  usage: AHP_ERRORS.invalidParams,
  unsupported: AHP_ERRORS.invalidParams,
  busy: AHP_ERRORS.turnInProgress,
  agent_missing: AHP_ERRORS.providerNotFound,
};

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The message of an error that is not a `ContinuoError` would tell a client nothing. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof AhpError) {
    const { code, message, data } = error;
    return { code, message, ...(data === undefined ? {} : { data }) };
  }
  const { error: told } = toWireError(error);
  const code = (isContinuoError(error) ? CODES[error.code] : undefined) ?? AHP_ERRORS.internal;
  return { code, message: told.message, data: { code: told.code, hint: told.hint } };
}

/** Why an action of a client was refused. */
export function reasonOf(error: unknown): string {
  const { message, data } = toRpcError(error);
  const hint = typeof data === "object" && data !== null && "hint" in data ? data.hint : null;
  return typeof hint === "string" ? `${message}. ${hint}` : message;
}

/** The message is the reason that the client receives with its action. */
export function refused(message: string, code: number = AHP_ERRORS.invalidParams): AhpError {
  return new AhpError(code, message);
}

export function sessionNotFound(uri: string): AhpError {
  return new AhpError(AHP_ERRORS.sessionNotFound, `there is no session ${JSON.stringify(uri.slice(0, 200))}`);
}

/** For the error of a request about this session. */
export function asSessionNotFound(uri: string): (error: unknown) => never {
  return (error) => {
    throw isContinuoError(error, "not_found") ? sessionNotFound(uri) : error;
  };
}
