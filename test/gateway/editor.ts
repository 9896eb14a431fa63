/** An editor at the other end of the gateway: the client of the protocol's SDK, and all messages that it received. */

import { type Duplex, PassThrough, Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientContext,
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { shippedPrices } from "@continuo/agents/catalog";
import { conversationOf } from "../../src/cli/flags/index.ts";
import { serveAcp } from "../../src/gateway/index.ts";
import { cleanEnv, type Home } from "../cli/home.ts";

export interface Editor extends AsyncDisposable {
  readonly agent: ClientContext;
  /** All updates so far, in order. */
  readonly updates: SessionNotification[];
  readonly questions: RequestPermissionRequest[];
  /** Ids of the addresses that the agent has finished with. */
  readonly completed: string[];
  /** Lines for people. */
  readonly reports: string[];
  /** The number of loads that asked for an index. */
  readonly unindexed: () => number;
  /** Returns the updates since the last call. */
  take(): SessionUpdate[];
  /** Ends the input of the gateway, as an editor that quits does. Resolves when the gateway has ended. */
  quit(): Promise<void>;
}

export interface EditorOptions {
  /** Variables of the gateway, in addition to the home and the search path. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly capabilities?: ClientCapabilities;
  /** Answers every other request of an agent. */
  readonly onAgentRequest?: (
    method: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ) => Promise<unknown>;
  /** The stream that carries the gateway's output to the editor. */
  readonly toEditor?: Duplex;
  /** Answers questions; by default it chooses the first option. */
  readonly answer?: (question: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
}

const AGENT_REQUESTS = [
  "fs/read_text_file",
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
  "elicitation/create",
];

export async function openEditor(home: Pick<Home, "path">, options: EditorOptions = {}): Promise<Editor> {
  const { toEditor = new PassThrough() } = options;
  const toAgent = new PassThrough();
  const reports: string[] = [];
  let unindexed = 0;
  const stop = new AbortController();
  const places = {
    home: home.path,
    cwd: home.path,
    env: { ...cleanEnv(home.path), ...options.env },
    now: new Date(),
  };
  const served = serveAcp({
    places,
    openStore: conversationOf({}, places as never).openStore,
    input: toAgent,
    output: toEditor,
    version: "1.2.3",
    signal: stop.signal,
    report: (line) => reports.push(line),
    prices: async () => ({ own: {}, list: shippedPrices() }),
    onUnindexed: () => {
      unindexed += 1;
    },
  });
  const updates: SessionNotification[] = [];
  const questions: RequestPermissionRequest[] = [];
  const choose = async ({
    options: [first],
  }: RequestPermissionRequest): Promise<RequestPermissionResponse> => ({
    outcome: { outcome: "selected", optionId: first?.optionId ?? "" },
  });
  const completed: string[] = [];
  const app = client({ name: "editor" })
    .onNotification("session/update", ({ params }) => void updates.push(params))
    .onRequest("session/request_permission", async ({ params }) => {
      questions.push(params);
      return await (options.answer ?? choose)(params);
    })
    .onNotification("elicitation/complete", ({ params }) => void completed.push(params.elicitationId));
  const { onAgentRequest } = options;
  for (const method of onAgentRequest === undefined ? [] : AGENT_REQUESTS) {
    const asIs = (params: unknown) => params as Record<string, unknown>;
    app.onRequest(
      method as string,
      asIs,
      async ({ params, signal }) => await onAgentRequest?.(method, params, signal),
    );
  }
  const connection = app.connect(
    ndJsonStream(
      Writable.toWeb(toAgent) as WritableStream<Uint8Array>,
      Readable.toWeb(toEditor) as ReadableStream<Uint8Array>,
    ),
  );
  const { agent } = connection;
  await agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: options.capabilities ?? {},
    clientInfo: { name: "editor", version: "1" },
  });
  let taken = 0;
  const quit = async (): Promise<void> => {
    toAgent.end();
    await served;
  };
  return {
    agent,
    updates,
    questions,
    reports,
    unindexed: () => unindexed,
    completed,
    take() {
      const since = updates.slice(taken).map(({ update }) => update);
      taken = updates.length;
      return since;
    },
    quit,
    [Symbol.asyncDispose]: quit,
  };
}

/** The text of an agent's messages among updates. */
export function spokenIn(updates: readonly SessionUpdate[]): string {
  return updates
    .map((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
        ? update.content.text
        : "",
    )
    .join("");
}
