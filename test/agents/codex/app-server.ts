/** A client of `codex app-server`. Each line is one JSON object of JSON-RPC, without the `jsonrpc` field. */

import { asObject, asText, type JsonObject } from "../../model-servers/index.ts";
import { type ProgramOptions, startProgram } from "../sandbox.ts";

export interface AppServer extends AsyncDisposable {
  /** Calls a method and returns its result. Throws an error if the server answers with one. */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Returns the params of the first notification that matches, even if it came before this call. */
  notified(method: string, fits?: (params: JsonObject) => boolean): Promise<JsonObject>;
  /** Starts a turn and waits for its end. Returns the turn. */
  turn(threadId: string, words: string, params?: JsonObject): Promise<JsonObject>;
  /** Kills the server and all programs that it started, like a crash. */
  kill(): Promise<void>;
}

interface Waiting {
  readonly accept: (value: JsonObject) => void;
  readonly refuse: (error: Error) => void;
}

export async function startAppServer(
  command: readonly string[],
  options: ProgramOptions,
): Promise<AppServer> {
  const [program = "", ...args] = command;
  const server = startProgram(program, args, options);
  const answers = new Map<number, Waiting>();
  const notifications: { readonly method: string; readonly params: JsonObject }[] = [];
  const watchers = new Set<() => void>();
  let ended = false;
  let count = 0;

  const reading = (async () => {
    for await (const line of server.lines) {
      const message = asObject(JSON.parse(line));
      if (typeof message.method === "string") {
        notifications.push({ method: message.method, params: asObject(message.params) });
        for (const look of watchers) look();
        continue;
      }
      const waiting = answers.get(Number(message.id));
      answers.delete(Number(message.id));
      if (message.error === undefined) waiting?.accept(asObject(message.result));
      else waiting?.refuse(new Error(`app-server: ${JSON.stringify(message.error)}`));
    }
    ended = true;
    for (const waiting of answers.values()) waiting.refuse(new Error(`app-server ended: ${server.stderr()}`));
    for (const look of watchers) look();
  })();

  function request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = ++count;
    server.send(JSON.stringify({ id, method, params }));
    return new Promise((accept, refuse) => answers.set(id, { accept, refuse }));
  }

  function notified(method: string, fits: (params: JsonObject) => boolean = () => true): Promise<JsonObject> {
    return new Promise((accept, refuse) => {
      const look = (): void => {
        const found = notifications.find((told) => told.method === method && fits(told.params));
        if (found === undefined && !ended) return;
        watchers.delete(look);
        if (found === undefined) refuse(new Error(`app-server ended before ${method}: ${server.stderr()}`));
        else accept(found.params);
      };
      watchers.add(look);
      look();
    });
  }

  async function turn(threadId: string, words: string, params: JsonObject = {}): Promise<JsonObject> {
    const input = [{ type: "text", text: words, text_elements: [] }];
    const started = asObject((await request("turn/start", { threadId, input, ...params })).turn);
    const done = await notified("turn/completed", (params) => asObject(params.turn).id === started.id);
    const finished = asObject(done.turn);
    if (finished.status !== "completed") throw new Error(`incomplete turn: ${JSON.stringify(finished)}`);
    return finished;
  }

  await request("initialize", {
    clientInfo: { name: "continuo-tests", version: "0" },
    capabilities: { experimentalApi: true },
  });
  server.send(JSON.stringify({ method: "initialized" }));
  return {
    request,
    notified,
    turn,
    async kill() {
      server.kill();
      await reading;
    },
    async [Symbol.asyncDispose]() {
      await server.end();
      await reading;
    },
  };
}

/** The id of the thread in an answer of `thread/start`, `thread/resume` or `thread/fork`. */
export function threadIdIn(answer: JsonObject): string {
  return asText(asObject(answer.thread).id);
}

/**
 * Compacts the thread and waits until the turn of the compaction has ended, because a prompt before that would join
 * this turn.
 */
export async function compact(app: AppServer, threadId: string): Promise<void> {
  await app.request("thread/compact/start", { threadId });
  const { turnId } = await app.notified("item/completed", (params) =>
    JSON.stringify(params).includes("ontextCompaction"),
  );
  await app.notified("turn/completed", (params) => asObject(params.turn).id === turnId);
}
