/** A client of an agent that speaks the Agent Client Protocol: JSON-RPC, one object a line. */

import { asObject, asText, type JsonObject } from "../model-servers/index.ts";
import type { LineProgram } from "./sandbox.ts";

export interface AcpClient extends AsyncDisposable {
  /** Returns the result of a method. Throws an error with the agent's error response. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** Starts a new session and returns its id. */
  begin(): Promise<string>;
  /** Opens a session. Returns the updates with its history as soon as `isComplete` returns true for them. */
  load(
    sessionId: string,
    isComplete: (updates: readonly JsonObject[]) => boolean,
  ): Promise<readonly JsonObject[]>;
  /** Sends a prompt: text, or content blocks. Returns the reason why the turn ended. */
  say(sessionId: string, said: string | readonly JsonObject[]): Promise<string>;
  /** Sends a prompt and cancels it when the first tool call is reported. */
  sayAndCancel(sessionId: string, words: string): Promise<string>;
}

interface Waiting {
  readonly accept: (value: JsonObject) => void;
  readonly refuse: (error: Error) => void;
}

export interface AcpOptions {
  readonly cwd: string;
  /** The method of `authenticate`, for an agent that requires it. */
  readonly authMethod?: string;
}

export async function startAcp(program: LineProgram, { cwd, authMethod }: AcpOptions): Promise<AcpClient> {
  const answers = new Map<number, Waiting>();
  let updates: JsonObject[] = [];
  let onUpdate: (update: JsonObject) => void = () => undefined;
  let count = 0;

  const reading = (async () => {
    for await (const line of program.lines) {
      if (!line.startsWith("{")) continue;
      const message = asObject(JSON.parse(line));
      if (message.method === "session/update") {
        const update = asObject(asObject(message.params).update);
        updates.push(update);
        onUpdate(update);
      } else if (message.method === "session/request_permission") {
        const outcome = { outcome: "selected", optionId: "proceed_once" };
        program.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { outcome } }));
      } else if (message.method === undefined) {
        const waiting = answers.get(Number(message.id));
        answers.delete(Number(message.id));
        if (message.error === undefined) waiting?.accept(asObject(message.result));
        else waiting?.refuse(new Error(JSON.stringify(message.error)));
      }
    }
    for (const waiting of answers.values()) waiting.refuse(new Error(`the agent ended: ${program.stderr()}`));
  })();

  function request(method: string, params: JsonObject): Promise<JsonObject> {
    const id = ++count;
    program.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((accept, refuse) => answers.set(id, { accept, refuse }));
  }

  async function say(sessionId: string, said: string | readonly JsonObject[]): Promise<string> {
    const prompt = typeof said === "string" ? [{ type: "text", text: said }] : said;
    return asText((await request("session/prompt", { sessionId, prompt })).stopReason);
  }

  await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  if (authMethod !== undefined) await request("authenticate", { methodId: authMethod });
  return {
    request,
    say,
    async begin() {
      return asText((await request("session/new", { cwd, mcpServers: [] })).sessionId);
    },
    async load(sessionId, isComplete) {
      updates = [];
      // Some updates arrive after the response to `session/load`.
      const complete = new Promise<void>((done) => {
        onUpdate = () => {
          if (isComplete(updates)) done();
        };
      });
      await request("session/load", { sessionId, cwd, mcpServers: [] });
      await complete;
      return updates;
    },
    async sayAndCancel(sessionId, words) {
      onUpdate = (update) => {
        if (update.sessionUpdate !== "tool_call") return;
        onUpdate = () => undefined;
        program.send(JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } }));
      };
      return await say(sessionId, words);
    },
    async [Symbol.asyncDispose]() {
      await program.end();
      await reading;
    },
  };
}

/** Returns the agent's text in the updates that report a history. */
export function spokenIn(updates: readonly JsonObject[]): string {
  return updates
    .filter((update) => update.sessionUpdate === "agent_message_chunk")
    .map((update) => asText(asObject(update.content).text))
    .join("");
}
