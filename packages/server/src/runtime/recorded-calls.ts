/** Calls of tools that a log has, as the answers for a replay in which no tool runs. */

import {
  type Block,
  canonicalJson,
  isEvent,
  readAll,
  type Store,
  type StoredEvent,
  textOf,
} from "@continuo/core/model";
import { isInput } from "@continuo/store/sessions";
import type { AgentDefinition } from "./types.ts";

export type AnswerCall = NonNullable<Parameters<AgentDefinition["open"]>[0]["answerCall"]>;

/** The events of the answers to one input. */
export interface AnswerPlace {
  /** The runs of all attempts; none for an imported input. */
  readonly runIds: readonly string[];
  /** The sequence of the last event before the input, and that of the next input. */
  readonly before: number;
  readonly end: number;
}

interface RecordedResult {
  readonly hasFailed: boolean;
  readonly output: unknown;
}

export interface RecordedCalls {
  /** Equal calls get their answers in the recorded order, and then the last one again. */
  readonly answer: AnswerCall;
  /** The tools of calls that have no recorded answer. */
  readonly unrecorded: readonly string[];
}

export async function recordedCalls(
  store: Store,
  sessionId: string,
  place: AnswerPlace,
): Promise<RecordedCalls> {
  const names = new Map<string, string>();
  const results = new Map<string, RecordedResult[]>();
  for await (const event of callEvents(store, sessionId, place)) {
    if (isEvent(event, "tool_call_started")) {
      const { toolCallId, toolName, toolInput } = event.data;
      names.set(toolCallId, contentOf({ toolName, toolInput }));
      continue;
    }
    const result = resultIn(event);
    const content = result === null ? undefined : names.get(result.toolCallId);
    if (result === null || content === undefined) continue;
    const known = results.get(content) ?? [];
    known.push(result);
    results.set(content, known);
  }
  const unrecorded: string[] = [];
  return {
    unrecorded,
    async answer(call) {
      const known = results.get(contentOf(call)) ?? [];
      const result = known.length > 1 ? known.shift() : known[0];
      if (result === undefined) {
        unrecorded.push(call.toolName);
        throw new Error("This call has no recorded answer.");
      }
      if (result.hasFailed) throw new Error(String(result.output));
      return result.output;
    },
  };
}

const TYPES = ["tool_call_started", "tool_call_completed", "tool_call_failed"];

async function* callEvents(
  store: Store,
  sessionId: string,
  { runIds, before, end }: AnswerPlace,
): AsyncGenerator<StoredEvent> {
  for (const runId of runIds) yield* readAll(store, sessionId, { runId, types: TYPES });
  if (runIds.length > 0) return;
  for await (const event of readAll(store, sessionId, { after: before, types: TYPES })) {
    if (event.sequence >= end) return;
    if (event.runId === undefined) yield event;
  }
}

function resultIn(event: StoredEvent): (RecordedResult & { readonly toolCallId: string }) | null {
  if (isEvent(event, "tool_call_completed")) {
    const { toolCallId, toolOutput } = event.data;
    return { toolCallId, hasFailed: false, output: plain(toolOutput) };
  }
  if (!isEvent(event, "tool_call_failed")) return null;
  const { toolCallId, error, status } = event.data;
  // Such a call has no result: its process ended.
  if (status === "interrupted") return null;
  return { toolCallId, hasFailed: true, output: plain(error) };
}

/** The results of imported calls can be blocks. */
function plain(output: unknown = ""): unknown {
  return typeof output !== "string" && isInput(output) ? textOf(output as readonly Block[]) : output;
}

function contentOf({ toolName, toolInput }: Parameters<AnswerCall>[0]): string {
  return canonicalJson([toolName, toolInput ?? null]);
}
