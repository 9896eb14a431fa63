/** The shared parts of the machine: the list, the histories, and the way from a key to both. */

import type { HistoryName } from "@continuo/core/wire/machine";
import type { MachineOptions } from "./options.ts";
import type { AnswerOf, ArgsOf, Question, SessionArguments } from "./questions.ts";
import type { HistoryReader } from "./read-history.ts";
import type { RowSource } from "./rows.ts";
import type { KeyedSession } from "./session-lookup.ts";
import type { TrashedSessions } from "./trash-sessions.ts";

export interface Machine {
  readonly options: MachineOptions;
  readonly source: RowSource;
  readonly reading: HistoryReader;
  readonly trashed: TrashedSessions;
  /** Errors: `not_found`. */
  named(key: string, signal: AbortSignal): Promise<KeyedSession>;
  asked(name: HistoryName, signal: AbortSignal): Promise<SessionArguments>;
  /** Errors: `not_found`, those of reading the session, and of the question. */
  ask<Q extends Question>(
    question: Q,
    name: HistoryName,
    args: ArgsOf<Q>,
    signal: AbortSignal,
  ): Promise<AnswerOf<Q>>;
}
