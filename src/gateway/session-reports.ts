/**
 * The reports about a session that are not part of an answer: its context, title and commands, the agent's own notices,
 * and the requests of the agent to the editor.
 */

import { randomUUID } from "node:crypto";
import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Talk } from "@continuo/agents/conversations";
import { type AgentCommand, type EditorPort, present } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import type { AgentParams, EditorClient } from "./client.ts";
import type { Logins } from "./logins.ts";
import { subagentUpdateOf } from "./updates.ts";

export interface EditorPortOptions {
  readonly logins: Pick<Logins, "chosen">;
  /** The id by which the editor knows a call of the agent. */
  readonly idOfCall: (toolCallId: string) => string;
}

export class SessionReports {
  readonly #sessionId: string;
  readonly #client: EditorClient;
  /** The commands that the editor has, as JSON. */
  #commands = "";

  constructor(sessionId: string, client: EditorClient) {
    this.#sessionId = sessionId;
    this.#client = client;
  }

  /** The editor of this session for its agent, with the ids that the editor knows. */
  editorPort({ logins, idOfCall }: EditorPortOptions): EditorPort {
    const client = this.#client;
    const own = (params: Readonly<Record<string, unknown>>): AgentParams => {
      // The request id is internal, and the editor does not know it.
      const { requestId: _requestId, toolCallId, ...others } = params;
      const call = typeof toolCallId === "string" ? { toolCallId: idOfCall(toolCallId) } : {};
      return { ...others, ...call, sessionId: this.#sessionId };
    };
    return {
      capabilities: client.tools,
      request: (method, params, signal) => client.request(method, own(params), signal),
      completed: (elicitationId) => client.completed(elicitationId),
      login: (agent) => logins.chosen(agent),
    };
  }

  /** Passes on reports of an agent that speaks the protocol itself, if the editor shows such reports. */
  async passOn(report: Json, message: string | undefined): Promise<void> {
    const client = this.#client;
    const kind = report.sessionUpdate;
    if (kind === "notice" && message !== undefined) client.note(this.#sessionId, message);
    const isOfCompaction = kind === "compaction_update" || kind === "compaction_summary_chunk";
    if (isOfCompaction && client.showsCompactions) await this.#update(report as SessionUpdate);
    if (kind === "subagent_update" && client.showsSubagents)
      await this.#update(subagentUpdateOf(this.#sessionId, report));
  }

  /** Sends the facts that a turn may have changed. */
  async tellFacts(talk: Talk, title: string | null): Promise<void> {
    const context = await talk.context();
    if (context !== null) {
      const { usedTokens: used, windowTokens: size } = context;
      await this.#update({ sessionUpdate: "usage_update", used, size });
    }
    await this.#update(present({ sessionUpdate: "session_info_update" as const, title: title ?? undefined }));
    await this.tellCommands(await talk.commands().catch(() => []));
  }

  /** Sends the commands of the agent unless the editor has the same ones. */
  async tellCommands(commands: readonly AgentCommand[]): Promise<void> {
    const availableCommands = commands.map(({ name, description, argument }) => ({
      name,
      description,
      ...(argument === "" ? {} : { input: { hint: argument } }),
    }));
    const told = JSON.stringify(availableCommands);
    if (told === this.#commands || (this.#commands === "" && commands.length === 0)) return;
    this.#commands = told;
    await this.#update({ sessionUpdate: "available_commands_update", availableCommands });
  }

  /** Says something in Continuo's name, after the answer of the agent. */
  async say(text: string): Promise<void> {
    await this.#update({
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text },
      messageId: `continuo-${randomUUID()}`,
    });
  }

  #update(update: SessionUpdate): Promise<void> {
    return this.#client.update(this.#sessionId, update);
  }
}
