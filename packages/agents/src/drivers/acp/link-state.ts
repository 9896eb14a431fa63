/** The state of a link to an ACP agent: its session, its turn, and a history that is being loaded. */

import type { AgentCommand, ContextUse, Usage } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import type { AgentTurn } from "../link/index.ts";
import type { LoadedHistory } from "./loaded-history.ts";
import type { RecordedCalls } from "./recorded-calls.ts";
import type { RecordedErrors } from "./recorded-errors.ts";
import { newUpdateState, type UpdateState } from "./updates.ts";

/** The native session that the agent is in. */
export interface SessionState {
  /** Empty before the first session is opened. */
  readonly id: string;
  /** The answer of the call that opened it. It names the settings that the session offers. */
  readonly opening: Json;
  /** The greeting that the agent announced and has not sent yet. */
  greeting: string | null;
  /** The cost of the session so far, in dollars; `null` if it is not known yet. */
  spentUsd: number | null;
  /** The usage that the program counted in the session so far; `null` before its first turn here. */
  used: Usage | null;
}

export const NO_SESSION: SessionState = { id: "", opening: {}, greeting: null, spentUsd: 0, used: null };

/** The turn that runs, or the last one. */
export interface TurnState {
  /** `null` before the first turn. */
  readonly turn: AgentTurn | null;
  readonly askedAtMs: number;
  readonly updates: UpdateState;
  /** `null` if the protocol reports everything about a call. */
  readonly calls: RecordedCalls | null;
  /** `null` if the protocol reports how a turn failed. */
  readonly errors: RecordedErrors | null;
  /** Aborts when the turn must stop. */
  readonly stopping: AbortController;
  /** Set when the agent has accepted the prompt. The end of a turn of version 2 is an update that counts only then. */
  isAccepted: boolean;
}

export function createTurnState(
  turn: AgentTurn | null = null,
  { calls, errors }: Pick<TurnState, "calls" | "errors"> = { calls: null, errors: null },
): TurnState {
  return {
    turn,
    askedAtMs: turn === null ? 0 : Date.now(),
    updates: newUpdateState(),
    calls,
    errors,
    stopping: new AbortController(),
    isAccepted: false,
  };
}

/** Opening a session. Updates in this time belong to its history and not to a turn. */
export interface LoadingState {
  isActive: boolean;
  /** Counts the updates, so that the link can wait until no more of them arrive. */
  updateCount: number;
  /** The history that the agent sent; `null` if it is not requested. */
  history: LoadedHistory | null;
}

export function createLoadingState(): LoadingState {
  return { isActive: false, updateCount: 0, history: null };
}

/** Reports of the agent that stay valid after a turn. */
export interface AgentReports {
  commands: readonly AgentCommand[];
  context: ContextUse | null;
}
