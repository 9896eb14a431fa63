/** The editor at the other end of the connection, as the gateway uses it. */

import type {
  AgentContext,
  ClientCapabilities,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { present } from "@continuo/core/model";

/** Parameters of a request of an agent, with the ids by which the editor knows its session and its calls. */
export interface AgentParams extends Readonly<Record<string, unknown>> {
  readonly sessionId: string;
}

export interface EditorClient {
  /** Called when a session of the connection is opened. `cwd`: the folder in which the editor works. */
  enter(sessionId: string, cwd: string): void;
  leave(sessionId: string): void;
  /** Resolves when the update is written, so that a slow editor delays the turn instead of filling the memory. */
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  /** Sends the history of a session. Resolves when all of it is written. */
  replay(sessionId: string, updates: AsyncIterable<SessionUpdate>): Promise<void>;
  /** Reports that a turn of another program begins or ends, if the protocol has such a state. */
  turn(sessionId: string, state: "running" | "idle"): Promise<void>;
  ask(question: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  /** `fs`, `terminal` and `elicitation` of its capabilities. */
  readonly tools: Readonly<Record<string, unknown>>;
  /** Passes on a request of an agent, with changed ids. Errors: the editor's own. */
  request(method: string, params: AgentParams, signal: AbortSignal): Promise<unknown>;
  /** See `EditorPort`. */
  completed(elicitationId: string): Promise<void>;
  /** Reports a line about the session on standard error, and also as a notice if the editor shows notices. */
  note(sessionId: string, text: string): void;
  readonly showsCompactions: boolean;
  /** True for an editor that shows the sub-agents of a session. */
  readonly showsSubagents: boolean;
}

export interface ClientOptions {
  /** Returns the context of the connection, once it exists. */
  readonly context: () => AgentContext;
  readonly capabilities: () => ClientCapabilities;
  readonly report: (line: string) => void;
}

export function createClient({ context, capabilities, report }: ClientOptions): EditorClient {
  const update: EditorClient["update"] = (sessionId, one) =>
    context().notify("session/update", { sessionId, update: one });
  return {
    enter: () => undefined,
    leave: () => undefined,
    update,
    async replay(sessionId, updates) {
      for await (const one of updates) await update(sessionId, one);
    },
    turn: async () => undefined,
    // If a question is withdrawn, its answer is not awaited.
    ask: (question, cancellationSignal) =>
      context().request("session/request_permission", question, {
        cancellationSignal,
        stopWaitingOnCancel: true,
      }),
    get tools() {
      const { fs, terminal, elicitation } = capabilities();
      return present({ fs, terminal, elicitation: elicitation ?? undefined });
    },
    request: (method, params, cancellationSignal) =>
      context().request<unknown>(method, params, { cancellationSignal, stopWaitingOnCancel: true }),
    completed: (elicitationId) => context().notify("elicitation/complete", { elicitationId }),
    note(sessionId, text) {
      report(text);
      if (!capabilities().session?.notices) return;
      update(sessionId, { sessionUpdate: "notice", severity: "info", title: text }).catch(() => undefined);
    },
    get showsCompactions() {
      return Boolean(capabilities().session?.compaction);
    },
    get showsSubagents() {
      return Boolean(capabilities().subagents);
    },
  };
}
