/**
 * Converts the events of a turn to updates. Each turn has a new instance, which remembers the messages that were sent
 * in parts, so that they are not sent again as a whole.
 */

import type { PlanEntry, SessionUpdate, StopReason, ToolCallStatus } from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import type { CallIds } from "./call-ids.ts";
import { contentOfCall, diffsOf, endOf, inputOf, kindOf, locationsOf, titleOfCall } from "./calls.ts";
import { textContent, toContent } from "./content.ts";

export class TurnUpdates {
  readonly #ids: CallIds;
  /** The ids of messages whose text came in parts. `#inParts` is the same for a current message without an id. */
  readonly #streamed = new Set<string>();
  #inParts = false;
  /** Calls of this turn that have no result yet. */
  readonly #open = new Set<string>();

  constructor(ids: CallIds) {
    this.#ids = ids;
  }

  /** Returns an empty list for events that an editor does not show. */
  of(event: AgentEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case "text":
      case "thinking":
        return this.#part(event);
      case "message":
        return this.#message(event);
      case "tool_call":
        return [this.#call(event)];
      case "tool_call_update":
        return this.#callUpdate(event);
      case "tool_result":
        return this.#result(event);
      case "plan":
        return [{ sessionUpdate: "plan", entries: event.entries.flatMap(entryOf) }];
      case "title":
        return [{ sessionUpdate: "session_info_update", title: event.title }];
      case "native_session": {
        const { agent, sessionId } = event.ref;
        const native = { agent, sessionId, happened: event.happened, verifiedBy: event.verifiedBy };
        return [{ sessionUpdate: "session_info_update", _meta: { continuo: { native } } }];
      }
      default:
        return [];
    }
  }

  /** Call it when the turn has ended. It closes the calls that have no result. */
  end(): readonly SessionUpdate[] {
    return [...this.#open].map((toolCallId) => ({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "failed",
    }));
  }

  /** The id under which the editor knows a call. A call that it does not know yet will begin with the given id. */
  idOfCall(id: string): string {
    return this.#ids.now(id) ?? id;
  }

  #part({ type, delta, messageId }: Extract<AgentEvent, { type: "text" | "thinking" }>): SessionUpdate[] {
    if (delta === "") return [];
    if (type === "text") {
      this.#inParts = true;
      if (messageId !== undefined) this.#streamed.add(messageId);
    }
    const sessionUpdate = type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
    return textContent(delta).map((content) => ({
      sessionUpdate,
      content,
      ...(messageId === undefined ? {} : { messageId }),
    }));
  }

  #message({ content, messageId }: Extract<AgentEvent, { type: "message" }>): SessionUpdate[] {
    const cameInParts = messageId === undefined ? this.#inParts : this.#streamed.has(messageId);
    this.#inParts = false;
    const said = content.filter(
      ({ type }) => type === "image" || type === "file" || (type === "text" && !cameInParts),
    );
    return toContent(said).map((part) => ({
      sessionUpdate: "agent_message_chunk",
      content: part,
      ...(messageId === undefined ? {} : { messageId }),
    }));
  }

  #call({
    toolCallId,
    toolName,
    toolInput,
    title,
  }: Extract<AgentEvent, { type: "tool_call" }>): SessionUpdate {
    this.#inParts = false;
    const id = this.#ids.begin(toolCallId);
    this.#open.add(id);
    const content = diffsOf(toolInput, undefined);
    return {
      sessionUpdate: "tool_call",
      toolCallId: id,
      name: toolName,
      title: title ?? titleOfCall(toolName, toolInput),
      kind: kindOf(toolName),
      status: "pending",
      locations: locationsOf(toolInput),
      rawInput: inputOf(toolInput),
      ...(content.length === 0 ? {} : { content }),
    };
  }

  #callUpdate(event: Extract<AgentEvent, { type: "tool_call_update" }>): SessionUpdate[] {
    const { status, title, toolInput, content } = event;
    const toolCallId = this.#ids.now(event.toolCallId);
    if (toolCallId === null) return [];
    const shown = contentOfCall(content, "running");
    return [
      {
        sessionUpdate: "tool_call_update",
        toolCallId,
        ...(isStatus(status) ? { status } : {}),
        ...(title === undefined ? {} : { title }),
        ...(toolInput === undefined
          ? {}
          : { rawInput: inputOf(toolInput), locations: locationsOf(toolInput) }),
        ...(shown.length === 0 ? {} : { content: shown }),
      },
    ];
  }

  #result({
    toolCallId: id,
    content,
    status,
  }: Extract<AgentEvent, { type: "tool_result" }>): SessionUpdate[] {
    const toolCallId = this.#ids.now(id);
    if (toolCallId === null) return [];
    this.#open.delete(toolCallId);
    const shown = contentOfCall(content, "running");
    return [
      {
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: endOf(status),
        ...(shown.length === 0 ? {} : { content: shown }),
      },
    ];
  }
}

/** Returns the agent's own reason if the protocol has it. */
export function stopReasonOf(reason: string | undefined): StopReason {
  switch (reason) {
    case "max_tokens":
    case "max_turn_requests":
    case "refusal":
    case "cancelled":
      return reason;
    default:
      return "end_turn";
  }
}

const STATUSES: readonly string[] = ["pending", "in_progress", "completed", "failed"];

function isStatus(status: string | undefined): status is ToolCallStatus {
  return status !== undefined && STATUSES.includes(status);
}

/** Converts an entry of the to-do list of any agent: its text is `content`, `step` or `description`. */
function entryOf(entry: unknown): PlanEntry[] {
  if (!isJson(entry)) return [];
  const content = entry.content ?? entry.step ?? entry.description;
  if (typeof content !== "string") return [];
  const status =
    entry.status === "completed" || entry.status === "in_progress" ? entry.status : ("pending" as const);
  const priority =
    entry.priority === "high" || entry.priority === "low" ? entry.priority : ("medium" as const);
  return [{ content, status, priority }];
}

/**
 * Returns the report about a sub-agent for an editor that knows the session by `id`. The id of a sub-agent is unique
 * only within its session. The capabilities are left out, because an editor cannot ask anything of a sub-agent here.
 */
export function subagentUpdateOf(id: string, { capabilities: _, ...report }: Json): SessionUpdate {
  return { ...report, sessionId: `${id}/${String(report.sessionId)}` } as SessionUpdate;
}
