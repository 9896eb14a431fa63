/** Version 2 of the protocol: a prompt is answered at once, and updates of the session's state report the turn. */

import { randomUUID } from "node:crypto";
import {
  type AgentApp,
  type AgentContext,
  agent,
  type CreateElicitationRequest,
  type InitializeResponse,
  type PromptRequest,
  type SessionConfigOption,
} from "@agentclientprotocol/sdk/experimental/v2";
import type { ContentBlock, McpServer } from "@agentclientprotocol/sdk/unstable";
import { present } from "@continuo/core/model";
import type { EditorClient } from "./client.ts";
import { asProtocolErrors, toRequestError } from "./errors.ts";
import { Gateway } from "./gateway.ts";
import type { OfferedLogin } from "./logins.ts";
import type { EditorSession } from "./session.ts";
import type { VersionParts } from "./v1.ts";
import { SessionUpdatesV2, toFormV2, toOptionsV2, toQuestionV2, type UpdateV2 } from "./v2-updates.ts";

export function createV2(parts: VersionParts): { readonly app: AgentApp; readonly gateway: Gateway } {
  let context: AgentContext | null = null;
  const editor = new EditorV2(() => {
    if (context === null) throw new Error("not connected yet");
    return context;
  }, parts.report);
  const gateway = new Gateway(parts, editor);
  const app = agent({ name: "continuo" })
    .onConnect((connection) => {
      context = connection.client;
    })
    .onRequest("initialize", ({ params }) => {
      editor.tools = present({ elicitation: params.capabilities?.elicitation ?? undefined });
      return hello(parts.version, gateway.logins.offer());
    })
    .onRequest(
      "auth/login",
      asProtocolErrors(({ params, signal }) => gateway.logIn(params.methodId, signal)),
    )
    .onRequest(
      "auth/logout",
      asProtocolErrors(({ signal }) => gateway.logOut("auth/logout", signal)),
    )
    .onRequest(
      "session/list",
      asProtocolErrors(({ params }) => gateway.lists.page(params, "exactly")),
    )
    .onRequest(
      "session/new",
      asProtocolErrors(async ({ params: { cwd, mcpServers } }) => {
        const session = await gateway.begin({ cwd, mcpServers: serversOf(mcpServers) });
        return { sessionId: session.id, configOptions: optionsOf(session) };
      }),
    )
    .onRequest(
      "session/resume",
      asProtocolErrors(async ({ params: { sessionId, cwd, mcpServers, replayFrom } }) => {
        const servers = mcpServers === undefined ? undefined : serversOf(mcpServers);
        const opening = { sessionId, cwd, ...present({ mcpServers: servers }) };
        const session = await (replayFrom?.type === "start"
          ? gateway.load(opening)
          : gateway.resume(opening));
        return { configOptions: optionsOf(session) };
      }),
    )
    .onRequest(
      "session/close",
      asProtocolErrors(({ params }) => gateway.close(params.sessionId)),
    )
    .onRequest(
      "session/delete",
      asProtocolErrors(({ params }) => gateway.delete(params.sessionId)),
    )
    .onRequest(
      "session/set_config_option",
      asProtocolErrors(async ({ params: { sessionId, configId, value } }) => {
        const session = gateway.named(sessionId);
        await session.choose(configId, value);
        return { configOptions: optionsOf(session) };
      }),
    )
    .onRequest(
      "session/prompt",
      asProtocolErrors(async ({ params }) => ({
        messageId: editor.begin(gateway.named(params.sessionId), params),
      })),
    )
    .onNotification("session/cancel", ({ params: { sessionId } }) => gateway.cancel(sessionId));
  return { app, gateway };
}

/** The editor at the other end of a connection of version 2. */
class EditorV2 implements EditorClient {
  readonly #context: () => AgentContext;
  readonly #report: (line: string) => void;
  readonly #updates = new Map<string, SessionUpdatesV2>();
  readonly showsCompactions = true;
  readonly showsSubagents = false;
  tools: EditorClient["tools"] = {};

  constructor(context: () => AgentContext, report: (line: string) => void) {
    this.#context = context;
    this.#report = report;
  }

  enter(sessionId: string, cwd: string): void {
    this.#updates.set(sessionId, new SessionUpdatesV2(cwd));
  }

  leave(sessionId: string): void {
    this.#updates.delete(sessionId);
  }

  update: EditorClient["update"] = async (sessionId, update) => {
    const updates = this.#updates.get(sessionId)?.of(update) ?? [];
    for (const one of updates) await this.#send(sessionId, one);
  };

  turn: EditorClient["turn"] = async (sessionId, state) => {
    const end = state === "idle" ? { stopReason: "end_turn" } : {};
    await this.#send(sessionId, { sessionUpdate: "state_update", state, ...end } as UpdateV2);
  };

  ask: EditorClient["ask"] = async (question, signal) => {
    const { sessionId } = question;
    const params = toQuestionV2(question, this.#updates.get(sessionId));
    const { outcome } = await this.#waiting(sessionId, signal, () =>
      this.#context().request("session/request_permission", params, asking(signal)),
    );
    return outcome.outcome === "selected" && "optionId" in outcome
      ? { outcome: { outcome: "selected", optionId: String(outcome.optionId) } }
      : { outcome: { outcome: "cancelled" } };
  };

  replay: EditorClient["replay"] = async (sessionId, replayed) => {
    const updates = this.#updates.get(sessionId);
    const begun = new Set<string>();
    for await (const update of replayed) {
      for (const one of updates?.replayed(update, begun) ?? []) await this.#send(sessionId, one);
    }
  };

  /** Sends a form. Version 2 has no requests for the files or the terminals of the client. */
  request: EditorClient["request"] = (_method, params, signal) =>
    this.#waiting(params.sessionId, signal, () =>
      this.#context().request(
        "elicitation/create",
        toFormV2(params) as unknown as CreateElicitationRequest,
        asking(signal),
      ),
    );

  completed: EditorClient["completed"] = (elicitationId) =>
    this.#context().notify("elicitation/complete", { elicitationId });

  /** Reports that the turn waits for the person, and after the answer that the turn runs again. */
  async #waiting<T>(sessionId: string, signal: AbortSignal, question: () => Promise<T>): Promise<T> {
    await this.#send(sessionId, { sessionUpdate: "state_update", state: "requires_action" });
    try {
      return await question();
    } finally {
      if (!signal.aborted) await this.#send(sessionId, { sessionUpdate: "state_update", state: "running" });
    }
  }

  note(sessionId: string, text: string): void {
    this.#report(text);
    this.#send(sessionId, { sessionUpdate: "notice", severity: "info", title: text }).catch(() => undefined);
  }

  /** Returns the id of the message; the turn begins after the answer. */
  begin(session: EditorSession, { prompt }: PromptRequest): string {
    const messageId = randomUUID();
    setImmediate(() => {
      this.#turn(session, messageId, prompt as ContentBlock[]).catch((error: unknown) =>
        this.#report(String(error)),
      );
    });
    return messageId;
  }

  /** Sends the person's own message first, then the turn. An error is reported as the end of the turn. */
  async #turn(session: EditorSession, messageId: string, prompt: readonly ContentBlock[]): Promise<void> {
    const { id } = session;
    await this.#send(id, { sessionUpdate: "user_message", messageId, content: [...prompt] } as UpdateV2);
    await this.#send(id, { sessionUpdate: "state_update", state: "running" });
    try {
      const stopReason = await session.prompt(prompt, { runId: messageId });
      await this.#send(id, { sessionUpdate: "state_update", state: "idle", stopReason } as UpdateV2);
    } catch (error) {
      const { code, message, data } = toRequestError(error);
      const details = { code, message, ...(data === undefined ? {} : { data }) };
      await this.#send(id, {
        sessionUpdate: "state_update",
        state: "idle",
        stopReason: "error",
        error: details,
      });
    }
  }

  #send(sessionId: string, update: UpdateV2): Promise<void> {
    return this.#context().notify("session/update", { sessionId, update });
  }
}

/** If a question is withdrawn, its answer is not awaited. */
function asking(cancellationSignal: AbortSignal) {
  return { cancellationSignal, stopWaitingOnCancel: true } as const;
}

function hello(version: string, logins: readonly OfferedLogin[]): InitializeResponse {
  return {
    protocolVersion: 2,
    info: { name: "continuo", title: "Continuo", version },
    capabilities: {
      session: { prompt: { image: {}, embeddedContext: {} }, mcp: { stdio: {}, http: {} }, delete: {} },
    },
    authMethods: logins.map(({ id, name, description }) => ({
      type: "agent",
      methodId: id,
      name,
      description,
    })),
  };
}

function optionsOf({ configOptions }: EditorSession): SessionConfigOption[] {
  return toOptionsV2(configOptions);
}

/** The two kinds of MCP server in version 2 have the same shapes as in version 1. */
function serversOf(servers: readonly unknown[] | undefined): readonly McpServer[] {
  return (servers ?? []) as readonly McpServer[];
}
