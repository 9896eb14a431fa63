/**
 * Drives the real opencode: `opencode serve`, its HTTP API, and single commands. A process is always ended by a kill,
 * so opencode leaves its database as after a crash, with new rows in the `-wal`.
 */

import { join } from "node:path";
import { asObject, asObjects, asText, type JsonObject } from "../../model-servers/index.ts";
import { PINNED, packageFolder } from "../install.ts";
import { type LineProgram, type ProgramResult, runProgram, type Sandbox, startProgram } from "../sandbox.ts";

export interface Opencode {
  /** The value of `XDG_DATA_HOME`. */
  readonly dataHome: string;
  readonly database: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The command that starts it. */
  readonly program: readonly string[];
  serve(cwd?: string): Promise<OpencodeServer>;
  /** A command such as `export ID`. */
  command(args: readonly string[], options?: CommandOptions): Promise<ProgramResult>;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** Another `XDG_DATA_HOME`. */
  readonly dataHome?: string;
}

/** A process of opencode, which is ended by a kill. */
export interface OpencodeServer extends AsyncDisposable {
  /** Returns the answer of the API. Throws if it is not a success. */
  request(method: string, path: string, body?: JsonObject): Promise<unknown>;
  /** Starts a new session and returns its id. */
  create(body?: JsonObject): Promise<string>;
  /** Sends a prompt, waits for the end of the turn, and returns the answer. */
  say(sessionId: string, words: string, options?: SayOptions): Promise<JsonObject>;
  /** Messages of a session, each `{ info, parts }`. */
  messages(sessionId: string): Promise<readonly JsonObject[]>;
  /** Waits until opencode has named the session, which happens in parallel with the first turn. */
  named(sessionId: string): Promise<void>;
  kill(): Promise<void>;
}

export interface SayOptions {
  readonly model?: string;
  /** The opencode agent, such as `plan`; `build` by default. */
  readonly agent?: string;
  /** Parts before the text. */
  readonly parts?: readonly JsonObject[];
}

/** The limit for the whole life of a server, because a test holds several turns with one server. */
const SERVER_TIMEOUT_MS = 900_000;

const PROVIDER = "scripted";
export const MODEL = "scripted-1";
export const OTHER_MODEL = "scripted-2";

const modelOf = (name: string): JsonObject => ({
  name,
  reasoning: true,
  tool_call: true,
  attachment: true,
  modalities: { input: ["text", "image"], output: ["text"] },
  limit: { context: 128_000, output: 4096 },
  cost: { input: 1, output: 2 },
});

const configFor = (modelUrl: string): JsonObject => ({
  autoupdate: false,
  share: "disabled",
  model: `${PROVIDER}/${MODEL}`,
  small_model: `${PROVIDER}/${MODEL}`,
  enabled_providers: [PROVIDER],
  provider: {
    [PROVIDER]: {
      npm: "@ai-sdk/openai-compatible",
      name: "Scripted",
      options: { baseURL: `${modelUrl}/v1`, apiKey: "a-key-for-tests" },
      models: { [MODEL]: modelOf("One"), [OTHER_MODEL]: modelOf("Two") },
    },
  },
  // These agents have prompts of opencode by default, which do not belong to a conversation.
  agent: Object.fromEntries(
    ["build", "general"].map((name) => [name, { prompt: "You help with this project." }]),
  ),
});

/**
 * @param settings replace the settings above; a setting that is `undefined` is left out.
 * @param variables are added to the environment.
 */
export async function openOpencode(
  sandbox: Sandbox,
  modelUrl: string,
  settings: Readonly<Record<string, unknown>> = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<Opencode> {
  const dataHome = join(sandbox.root, "data");
  await sandbox.write(
    "config/opencode/opencode.json",
    JSON.stringify({ ...configFor(modelUrl), ...settings }),
  );
  const environmentOf = (data: string): Record<string, string> =>
    sandbox.environment({
      XDG_CONFIG_HOME: join(sandbox.root, "config"),
      XDG_DATA_HOME: data,
      XDG_STATE_HOME: join(sandbox.root, "state"),
      XDG_CACHE_HOME: join(sandbox.root, "cache"),
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      // The file finder would cost a seventh of the work of each start.
      OPENCODE_DISABLE_FFF: "1",
      ...variables,
    });
  const program = join(packageFolder(PINNED.opencode), PINNED.opencode.proof);
  return {
    dataHome,
    database: join(dataHome, "opencode", "opencode.db"),
    environment: environmentOf(dataHome),
    program: [program],
    async serve(cwd = sandbox.project) {
      const options = { cwd, env: environmentOf(dataHome), timeoutMs: SERVER_TIMEOUT_MS };
      return await converse(startProgram(program, ["serve", "--port", "0"], options));
    },
    command: (args, { cwd = sandbox.project, dataHome: data = dataHome } = {}) =>
      runProgram(program, args, { cwd, env: environmentOf(data) }),
  };
}

async function converse(program: LineProgram): Promise<OpencodeServer> {
  const url = await listeningUrl(program);
  let isKilled = false;
  async function kill(): Promise<void> {
    if (isKilled) return;
    isKilled = true;
    program.kill();
    await program.end();
  }
  async function request(method: string, path: string, body?: JsonObject): Promise<unknown> {
    const response = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`opencode refused ${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  }
  return {
    request,
    kill,
    create: async (body = {}) => asText(asObject(await request("POST", "/session", body)).id),
    async say(sessionId, words, { model = MODEL, agent, parts = [] } = {}) {
      const said = {
        model: { providerID: PROVIDER, modelID: model },
        ...(agent === undefined ? {} : { agent }),
        parts: [...parts, { type: "text", text: words }],
      };
      return asObject(await request("POST", `/session/${sessionId}/message`, said));
    },
    messages: async (sessionId) => asObjects(await request("GET", `/session/${sessionId}/message`)),
    async named(sessionId) {
      for (;;) {
        const { title } = asObject(await request("GET", `/session/${sessionId}`));
        if (!asText(title).startsWith("New session - ")) return;
        await new Promise((look) => setTimeout(look, 20));
      }
    },
    [Symbol.asyncDispose]: kill,
  };
}

async function listeningUrl(program: LineProgram): Promise<string> {
  for await (const line of program.lines) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/u.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`opencode ended: ${program.stderr()}`);
}

/** Returns the ids of messages, by their texts. */
export function idsBySaid(messages: readonly JsonObject[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap((message) =>
      asObjects(message.parts).flatMap((part): [string, string][] =>
        part.type === "text" ? [[asText(part.text), asText(asObject(message.info).id)]] : [],
      ),
    ),
  );
}
