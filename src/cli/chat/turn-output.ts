/** Output of the one turn, for a person or a program. */

import type { Talk, TurnResult } from "@continuo/agents/conversations";
import type { AskPermission } from "@continuo/agents/drivers/link";
import type { NativeRef } from "@continuo/core/model";
import { describeResumption } from "../conversation/drawing/index.ts";
import {
  createPermissionPrompt,
  describeTurn,
  errorOf,
  type PermissionPromptOptions,
} from "../conversation/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ChatFlags } from "./flags.ts";
import { createReport, type Report } from "./report.ts";

export interface TurnOutput {
  note(text: string): void;
  /** Denies if no question can be shown. */
  readonly ask: AskPermission;
  /** Returns the exit code. Errors: those of the turn. */
  turn(talk: Talk, input: string, stop: AbortController): Promise<number>;
  /** Prints the error for a program that received output but no result. */
  fail(error: unknown, sessionId: string | null): Promise<void>;
}

export function createTurnOutput(
  flags: ChatFlags,
  shell: Shell,
  asking: Omit<PermissionPromptOptions, "teller">,
): TurnOutput {
  const report = createReport(flags, shell);
  const { teller } = report;
  return {
    note: (text) => report.note(text),
    ask:
      teller === null
        ? async () => ({ outcome: "denied", by: "policy" })
        : createPermissionPrompt({ teller, ...asking }),
    turn: (talk, input, stop) => turn(talk, input, { report, stop }),
    fail: (error, sessionId) => report.fail(error, sessionId),
  };
}

/** The agent's own session may remain: the person can view it, or delete it. */
function describeNothingKept(ref: NativeRef | undefined): string {
  const nothing = "no session is kept: the agent did nothing";
  return ref === undefined ? nothing : `${nothing}; its own session ${ref.agent}:${ref.sessionId} stays`;
}

interface InTurn {
  readonly report: Report;
  readonly stop: AbortController;
}

async function turn(talk: Talk, input: string, { report, stop }: InTurn): Promise<number> {
  const startedAt = performance.now();
  report.begin(talk.agent);
  let ended: TurnResult;
  try {
    ended = await talk.say(input, { onEvent: (event) => report.tell(event), signal: stop.signal });
  } finally {
    await report.end();
  }
  const { result } = ended;
  const { agent } = talk;
  const facts = [describeTurn(result, performance.now() - startedAt)];
  if (!ended.isKept) facts.push(describeNothingKept(result.resumption?.ref));
  else if (result.resumption !== null) {
    const { sessionId, resumption } = result;
    facts.push(describeResumption({ sessionId, agent, resumption, ids: "whole" }));
  }
  await report.result(ended.isKept ? result : { ...result, sessionId: null }, facts);
  const error = errorOf(result, stop.signal);
  if (error !== null) throw error;
  return 0;
}
