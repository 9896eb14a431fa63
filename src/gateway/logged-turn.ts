/** Converts the stored events of a turn of another program to updates, while that turn runs. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import {
  type AgentEvent,
  type Block,
  contentBlocks,
  isEvent,
  RUN_END_STATUSES,
  RUN_EVENTS,
  type StoredEvent,
  type ToolStatus,
  typedIn,
} from "@continuo/core/model";
import type { CallIds } from "./call-ids.ts";
import { toContent } from "./content.ts";
import { TurnUpdates } from "./updates.ts";

const ENDS: ReadonlySet<string> = new Set(RUN_END_STATUSES.map((status) => RUN_EVENTS[status]));

export function isRunEnd({ type }: StoredEvent): boolean {
  return ENDS.has(type);
}

/** The names that Continuo gives to messages to which their agent gave none. They begin again in each run. */
const UNNAMED = /^said-\d+/u;

export class LoggedTurn {
  readonly #runId: string;
  readonly #updates: TurnUpdates;
  /** Ids that only this turn has, by the names of its messages. */
  readonly #names = new Map<string, string>();
  readonly #open = new Set<string>();
  #isPromptShown = false;

  constructor(runId: string, ids: CallIds) {
    this.#runId = runId;
    this.#updates = new TurnUpdates(ids);
  }

  /** The message of the person, with the id of its run; an empty list if it was returned before. */
  prompt(blocks: readonly Block[]): readonly SessionUpdate[] {
    if (this.#isPromptShown) return [];
    this.#isPromptShown = true;
    const said = blocks.map(
      (block): Block => (block.type === "text" ? { type: "text", text: typedIn(block) } : block),
    );
    return toContent(said).map((content) => ({
      sessionUpdate: "user_message_chunk",
      content,
      messageId: this.#runId,
    }));
  }

  /** Returns an empty list for events that an editor does not show. */
  of(event: StoredEvent): readonly SessionUpdate[] {
    if (isEvent(event, "message_sent")) {
      const { role = "user", content } = event.data;
      return role === "user" ? this.prompt(contentBlocks(content)) : [];
    }
    return this.#agentEvents(event).flatMap((one) => this.#updates.of(one));
  }

  /** Called when the run has ended. */
  end(): readonly SessionUpdate[] {
    return this.#updates.end();
  }

  /** The id under which the editor knows a call. */
  idOfCall(id: string): string {
    return this.#updates.idOfCall(id);
  }

  #agentEvents(event: StoredEvent): readonly AgentEvent[] {
    if (isEvent(event, "message_streamed")) {
      const { delta, kind } = event.data;
      const messageId = this.#nameOf(event.data.messageId, event);
      return [{ type: kind === "thinking" ? "thinking" : "text", delta, messageId }];
    }
    if (isEvent(event, "message_received")) {
      const { content, messageId } = event.data;
      const named = this.#nameOf(messageId ?? event.id, event);
      return [{ type: "message", content: contentBlocks(content), messageId: named }];
    }
    if (isEvent(event, "plan_updated")) return [{ type: "plan", entries: event.data.entries }];
    if (isEvent(event, "session_updated")) {
      const { title } = event.data;
      return typeof title === "string" ? [{ type: "title", title }] : [];
    }
    return this.#callEvents(event);
  }

  #callEvents(event: StoredEvent): readonly AgentEvent[] {
    if (isEvent(event, "tool_call_started")) {
      const { toolCallId, toolName, toolInput } = event.data;
      // A call is stored again when its input is known.
      if (this.#open.has(toolCallId)) return [{ type: "tool_call_update", toolCallId, toolInput }];
      this.#open.add(toolCallId);
      const { title } = event.data as { readonly title?: unknown };
      const named = typeof title === "string" ? { title } : {};
      return [{ type: "tool_call", toolCallId, toolName, toolInput, ...named }];
    }
    if (isEvent(event, "tool_call_updated")) {
      const { toolCallId, status, content } = event.data;
      return [{ type: "tool_call_update", toolCallId, content, ...(status === undefined ? {} : { status }) }];
    }
    if (isEvent(event, "tool_call_completed")) {
      const { toolCallId, toolOutput } = event.data;
      return [this.#result(toolCallId, toolOutput, "ok")];
    }
    if (isEvent(event, "tool_call_failed")) {
      const { toolCallId, error, status } = event.data;
      return [this.#result(toolCallId, error, (status ?? "error") as ToolStatus)];
    }
    return [];
  }

  #result(toolCallId: string, output: unknown, status: ToolStatus): AgentEvent {
    this.#open.delete(toolCallId);
    const isShown = typeof output === "string" || Array.isArray(output);
    const content = isShown ? (output as string | readonly Block[]) : (JSON.stringify(output) ?? "");
    return { type: "tool_result", toolCallId, content, status };
  }

  /**
   * An editor adds text to the message that has the same id. A name that earlier turns may have used is therefore
   * replaced by the id of an event, as in the fold.
   */
  #nameOf(name: string, { id }: StoredEvent): string {
    if (!UNNAMED.test(name)) return name;
    const known = this.#names.get(name) ?? id;
    this.#names.set(name, known);
    return known;
  }
}
