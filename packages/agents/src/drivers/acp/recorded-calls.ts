/**
 * Completes the calls of an agent whose ACP does not report a tool's name, input and output. A result without content
 * waits until the agent's session file has the content, or until the agent continues without it.
 */

import type { AgentEvent, Block, Message } from "@continuo/core/model";
import type { ReadNewest } from "./recorded-history.ts";

export interface RecordedCall {
  readonly input: unknown;
  /** `null` while there is no result. */
  readonly content: readonly Block[] | null;
}

/** Returns the calls with these ids that are in the session's file. */
export type ReadCalls = (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, RecordedCall>>;

export interface RecordedCalls {
  /** The events that can be reported now, in their order. */
  pass(events: readonly AgentEvent[]): Promise<readonly AgentEvent[]>;
  /** Returns the events that still wait, completed with everything that the session file has about them. */
  rest(): Promise<readonly AgentEvent[]>;
}

type ToolResult = AgentEvent & { readonly type: "tool_result" };

export function createRecordedCalls(read: ReadCalls): RecordedCalls {
  let waiting: readonly ToolResult[] = [];

  /** @param which `recorded`: events without a record keep waiting */
  async function take(which: "recorded" | "all"): Promise<readonly AgentEvent[]> {
    if (waiting.length === 0) return [];
    const known = await read(new Set(waiting.map(({ toolCallId }) => toolCallId)));
    const isTold = ({ toolCallId }: ToolResult): boolean =>
      which === "all" || (known.get(toolCallId)?.content ?? null) !== null;
    const told = waiting.filter(isTold);
    waiting = waiting.filter((event) => !isTold(event));
    return told.flatMap((event) => withRecorded(event, known.get(event.toolCallId)));
  }

  return {
    async pass(events) {
      const told: AgentEvent[] = [];
      for (const event of events) {
        if (event.type === "tool_result") {
          waiting = [...waiting, event];
          continue;
        }
        if (event.type === "tool_call") told.push(...(await take("recorded")), withOwnName(event));
        else if (event.type === "tool_call_update") told.push(event);
        else told.push(...(await take("all")), event);
      }
      return told;
    },
    rest: () => take("all"),
  };
}

function withRecorded(event: ToolResult, call: RecordedCall | undefined): readonly AgentEvent[] {
  if (call === undefined) return [event];
  const { toolCallId } = event;
  const content = isSilent(event.content) && call.content !== null ? call.content : event.content;
  return [
    { type: "tool_call_update", toolCallId, toolInput: call.input },
    { ...event, content },
  ];
}

function isSilent(content: ToolResult["content"]): boolean {
  return content === "" || content.length === 0;
}

/** Takes the tool's name from the id, which is `NAME__ID` (Gemini CLI 0.61.0): the reported name is only a title. */
function withOwnName(event: AgentEvent & { readonly type: "tool_call" }): AgentEvent {
  const end = event.toolCallId.lastIndexOf("__");
  return end < 1 ? event : { ...event, toolName: event.toolCallId.slice(0, end) };
}

/** The calls in the newest part of the session's file. */
export function readCallsOf(read: ReadNewest): ReadCalls {
  return async (ids) => callsIn(await read(), ids);
}

function callsIn(history: readonly Message[], ids: ReadonlySet<string>): ReadonlyMap<string, RecordedCall> {
  const calls = new Map<string, RecordedCall>();
  for (const { content } of history) {
    for (const block of content) {
      if (block.type === "tool_call" && ids.has(block.id)) {
        calls.set(block.id, { input: block.args, content: null });
      }
      if (block.type !== "tool_result") continue;
      const call = calls.get(block.toolCallId);
      if (call !== undefined) calls.set(block.toolCallId, { ...call, content: block.content });
    }
  }
  return calls;
}
