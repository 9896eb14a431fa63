/**
 * The words of a failure for the people who use a program: the words of a provider can name keys, addresses and limits.
 */

import { type Block, isContinuoError, messageOf, present, textOf } from "@continuo/core/model";
import type { RunError } from "@continuo/store/sessions";

/**
 * A failed run has the error of its result. A failed call has the name of its tool, and the status of its result as its
 * code.
 */
export type Failure = RunError & { readonly toolName?: string };

export type FailureText = (failure: Failure) => string;

/** The code of an input that is not tried again, and of the `error_raised` event that says so. */
export const GIVEN_UP = "dead_letter";

const ENDS: Readonly<Record<string, string>> = {
  cancelled: "was cancelled",
  denied: "was denied",
  interrupted: "was interrupted",
};

const SENTENCES: Readonly<Record<string, string>> = {
  agent_missing: "The program of this agent is not installed.",
  folder_missing: "The folder of this session does not exist.",
};

export const plainFailure: FailureText = ({ code, toolName }) =>
  toolName === undefined
    ? (SENTENCES[code] ?? `The answer failed (${code}).`)
    : `The tool ${toolName} ${ENDS[code] ?? "failed"}.`;

/** Uses the program's own words. An error that its function throws is reported, and ends no stream. */
export function failureTextOf(own: FailureText | undefined, report: (error: unknown) => void): FailureText {
  if (own === undefined) return plainFailure;
  return (failure) => {
    try {
      return own(failure);
    } catch (error) {
      report(error);
      return plainFailure(failure);
    }
  };
}

/** This is also called for an error before a run exists, or while the run is read. */
export function failureOf(error: unknown): Failure {
  return { code: isContinuoError(error) ? error.code : "internal", message: messageOf(error) };
}

/** The error of a stored `run_failed`. */
export function runErrorOf(error: unknown): RunError {
  const { code, details } = (error ?? {}) as Partial<RunError>;
  return { code: code ?? "agent_failed", message: wordsOf(error), ...present({ details }) };
}

/** The words of an error as events have it: a text, blocks, or an object with a message. */
export function wordsOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (Array.isArray(error)) return textOf(error as readonly Block[]);
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : error === undefined ? "" : JSON.stringify(error);
}
