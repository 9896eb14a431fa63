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
import { wordsOf } from "./failure-text.ts";
import type { AnswerCall } from "./types.ts";

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
  const results = await readResults(store, sessionId, place);
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
/** An import can have the calls and their results in its messages. */
const IMPORTED_TYPES = [...TYPES, "message_sent", "message_received"];

/** The results by the contents of their calls, each list in the recorded order. */
async function readResults(
  store: Store,
  sessionId: string,
  { runIds, before, end }: AnswerPlace,
): Promise<Map<string, RecordedResult[]>> {
  // A call can begin in one attempt and end in the next one.
  const contents = new Map<string, string>();
  if (runIds.length === 0) {
    const events = readAll(store, sessionId, { after: before, before: end, types: IMPORTED_TYPES });
    return await foldResults(ofImport(events), contents);
  }
  const results = new Map<string, RecordedResult[]>();
  for (const runId of runIds) {
    const events = readAll(store, sessionId, { runId, types: TYPES });
    // The last attempt counts. Results of earlier ones stay for calls that it did not make again after a crash.
    for (const [content, known] of await foldResults(events, contents)) results.set(content, known);
  }
  return results;
}

async function* ofImport(events: AsyncIterable<StoredEvent>): AsyncGenerator<StoredEvent> {
  for await (const event of events) if (event.runId === undefined) yield event;
}

async function foldResults(
  events: AsyncIterable<StoredEvent>,
  contents: Map<string, string>,
): Promise<Map<string, RecordedResult[]>> {
  // A message that has grown is stored again, with the results that it already had.
  const byCall = new Map<string, RecordedResult>();
  for await (const event of events) {
    for (const call of callsIn(event)) contents.set(call.toolCallId, contentOf(call));
    for (const { toolCallId, ...result } of resultsIn(event)) byCall.set(toolCallId, result);
  }
  const results = new Map<string, RecordedResult[]>();
  for (const [toolCallId, result] of byCall) {
    const content = contents.get(toolCallId);
    if (content === undefined) continue;
    const known = results.get(content);
    if (known === undefined) results.set(content, [result]);
    else known.push(result);
  }
  return results;
}

interface RecordedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolInput?: unknown;
}

/** The calls of an event, or of the message that an import stored. */
export function callsIn(event: StoredEvent): readonly RecordedCall[] {
  if (isEvent(event, "tool_call_started")) return [event.data];
  return blocksIn(event).flatMap((block) =>
    block.type === "tool_call" ? [{ toolCallId: block.id, toolName: block.name, toolInput: block.args }] : [],
  );
}

function resultsIn(event: StoredEvent): readonly (RecordedResult & { readonly toolCallId: string })[] {
  if (isEvent(event, "tool_call_completed")) {
    const { toolCallId, toolOutput } = event.data;
    return [{ toolCallId, hasFailed: false, output: toValue(toolOutput) }];
  }
  if (isEvent(event, "tool_call_failed")) {
    const { toolCallId, error, status } = event.data;
    // Such a call has no result: its process ended.
    return status === "interrupted" ? [] : [{ toolCallId, hasFailed: true, output: wordsOf(error) }];
  }
  return blocksIn(event).flatMap((block) => {
    if (block.type !== "tool_result" || block.status === "interrupted") return [];
    const { toolCallId, isError: hasFailed, content } = block;
    const text = textOf(content);
    return [{ toolCallId, hasFailed, output: hasFailed ? text : structured(text) }];
  });
}

function blocksIn(event: StoredEvent): readonly Block[] {
  if (!isEvent(event, "message_sent") && !isEvent(event, "message_received")) return [];
  const { content } = event.data;
  return isInput(content) && typeof content !== "string" ? content : [];
}

/** The results of imported calls can be blocks. */
function toValue(output: unknown = ""): unknown {
  if (!isInput(output)) return output;
  return structured(typeof output === "string" ? output : textOf(output));
}

/** A model agent records a value as its shortest JSON text. The model of a replay gets the value again. */
function structured(text: string): unknown {
  if (!/^[[{]/u.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : text;
  } catch {
    return text;
  }
}

function contentOf({ toolName, toolInput }: Pick<RecordedCall, "toolName" | "toolInput">): string {
  return canonicalJson([toolName, toolInput ?? null]);
}
