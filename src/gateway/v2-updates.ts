/**
 * Converts updates, options and questions of version 1 to version 2. Pure, except for the ids of messages without one.
 */

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type {
  UpdateSessionNotification as NotificationV2,
  SessionConfigOption as OptionV2,
  RequestPermissionRequest as QuestionV2,
} from "@agentclientprotocol/sdk/experimental/v2";
import type {
  RequestPermissionRequest,
  SessionConfigOption,
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
} from "@agentclientprotocol/sdk/unstable";
import { isJson } from "@continuo/files";
import type { AgentParams } from "./client.ts";

export type UpdateV2 = NotificationV2["update"];

/** Converts the updates of one session: every message and every plan gets an id, and every path is absolute. */
export class SessionUpdatesV2 {
  readonly #cwd: string;
  readonly #planId = randomUUID();
  /** The message that chunks without an id belong to. */
  #current: { readonly kind: string; readonly messageId: string } | null = null;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Returns an empty list for updates that version 2 does not have. */
  of(update: SessionUpdate): readonly UpdateV2[] {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return [
          { ...update, messageId: update.messageId ?? this.#messageOf(update.sessionUpdate) } as UpdateV2,
        ];
      case "tool_call":
      case "tool_call_update":
        this.#current = null;
        return [{ ...this.callOf(update), sessionUpdate: "tool_call_update" } as UpdateV2];
      case "plan":
        return [
          {
            sessionUpdate: "plan_update",
            plan: { type: "items", planId: this.#planId, entries: update.entries },
          } as UpdateV2,
        ];
      case "available_commands_update": {
        const availableCommands = update.availableCommands.map((one) => ({ type: "command", ...one }));
        return [{ ...update, availableCommands } as UpdateV2];
      }
      case "config_option_update":
        return [{ ...update, configOptions: toOptionsV2(update.configOptions) } as UpdateV2];
      case "current_mode_update":
        return [];
      default:
        return [update as UpdateV2];
    }
  }

  /**
   * A replay sends each message from its beginning, so that a client that has the message replaces it and does not show
   * it twice.
   */
  replayed(update: SessionUpdate, begun: Set<string>): readonly UpdateV2[] {
    return this.of(update).flatMap((one) => {
      const { sessionUpdate, messageId } = one as {
        readonly sessionUpdate: string;
        readonly messageId?: string;
      };
      const [, kind] = /^(.+_(?:message|thought))_chunk$/u.exec(sessionUpdate) ?? [];
      if (kind === undefined || messageId === undefined || begun.has(`${kind} ${messageId}`)) return [one];
      begun.add(`${kind} ${messageId}`);
      return [{ sessionUpdate: kind, messageId, content: [] } as UpdateV2, one];
    });
  }

  callOf<Call extends { locations?: ToolCallLocation[] | null; content?: ToolCallContent[] | null }>(
    call: Call,
  ): object {
    const { locations, content, ...rest } = call;
    return {
      ...rest,
      ...(locations
        ? { locations: locations.map((one) => ({ ...one, path: resolve(this.#cwd, one.path) })) }
        : {}),
      ...(content ? { content: content.flatMap((one) => this.#contentOf(one)) } : {}),
    };
  }

  /** The place of a replaced text in its file is not known: the change is named, and shown as text. */
  #contentOf(content: ToolCallContent): readonly object[] {
    if (content.type !== "diff") return [content];
    const { path, oldText, newText } = content;
    const isNew = oldText === null || oldText === undefined;
    const changes = [{ operation: isNew ? "add" : "modify", path: resolve(this.#cwd, path) }];
    const lines = [...(isNew ? [] : signed("-", oldText)), ...signed("+", newText)];
    const text = ["```diff", ...lines, "```"].join("\n");
    return [
      { type: "diff", changes },
      { type: "content", content: { type: "text", text } },
    ];
  }

  #messageOf(kind: string): string {
    if (this.#current?.kind !== kind) this.#current = { kind, messageId: randomUUID() };
    return this.#current.messageId;
  }
}

function signed(sign: "-" | "+", text: string): string[] {
  return text
    .replace(/\n$/u, "")
    .split("\n")
    .map((line) => `${sign}${line}`);
}

export function toOptionsV2(options: readonly SessionConfigOption[]): OptionV2[] {
  return options.map(({ id, ...option }) => ({ configId: id, ...option }) as OptionV2);
}

/** Version 2 requires the type and the properties of the schema of a form; version 1 has defaults for them. */
export function toFormV2(params: AgentParams): AgentParams {
  const { requestedSchema: schema } = params;
  if (!isJson(schema)) return params;
  return { ...params, requestedSchema: { type: "object", properties: {}, ...schema } };
}

export function toQuestionV2(
  { sessionId, toolCall, options }: RequestPermissionRequest,
  updates: SessionUpdatesV2 | undefined,
): QuestionV2 {
  return {
    sessionId,
    title: toolCall.title ?? "The agent asks for a permission",
    subject: {
      type: "tool_call",
      toolCall: updates?.callOf(toolCall) ?? { toolCallId: toolCall.toolCallId },
    },
    options,
  } as QuestionV2;
}
