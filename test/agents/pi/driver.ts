/**
 * Drives the real pi: `pi --mode rpc`, one JSON object per line. `extension.js` adds commands for functions that pi
 * offers only to extensions or on its screen.
 */

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { asObject, asObjects, asText, type JsonObject } from "../../model-servers/index.ts";
import { PINNED, type PinnedName, packageFolder } from "../install.ts";
import { type LineProgram, type Sandbox, startProgram } from "../sandbox.ts";

export interface PiStart {
  /** The path of a session to continue; by default, pi begins a new session. */
  readonly session?: string;
  /** The id for a new session; pi accepts it from version 0.87 on. */
  readonly sessionId?: string;
  readonly cwd?: string;
  /** If true, pi loads the skills and the prompt templates of the home. */
  readonly withSkills?: true;
  /** If true, pi loads its built-in extensions, including MCP, and not the extension of the tests. */
  readonly withExtensions?: true;
}

/** One process of pi, which may move from session to session. */
export interface PiTalk extends AsyncDisposable {
  /** Sends a prompt and waits until pi is idle. Throws if pi does not accept it. */
  say(words: string, pictures?: readonly Picture[]): Promise<void>;
  /** Sends a prompt, and kills pi while the first tool runs. */
  sayInVain(words: string): Promise<void>;
  /** A command of the extension, `/note {…}`. */
  extension(command: string, args: JsonObject): Promise<void>;
  /** Sends an RPC command and returns its data. Throws an error if pi refuses it. */
  request(type: string, params?: JsonObject): Promise<JsonObject>;
  /** The path of the session that is open. */
  sessionFile(): Promise<string>;
}

export interface Picture {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

export interface Pi {
  /** `PI_CODING_AGENT_DIR`. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly talk: (start?: PiStart) => PiTalk;
}

export type PiVersion = Extract<PinnedName, "pi" | "pi087" | "pi073">;

const PROMPT = "You help with this project.";

/** The model offers thinking, so that pi requests it and sends it back. Costs are in dollars per million tokens. */
const modelsFor = (modelUrl: string): JsonObject => ({
  providers: {
    scripted: {
      baseUrl: `${modelUrl}/v1`,
      api: "openai-completions",
      apiKey: "a-key-for-tests",
      models: ["scripted-1", "scripted-2"].map((id) => ({
        id,
        name: id,
        reasoning: true,
        input: ["text", "image"],
        contextWindow: 128_000,
        maxTokens: 4096,
        cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
      })),
    },
  },
});

/** pi keeps few tokens, so a compaction cuts even a short conversation. Pictures go to the model unchanged. */
const SETTINGS = {
  defaultProvider: "scripted",
  defaultModel: "scripted-1",
  images: { autoResize: false },
  compaction: { enabled: false, keepRecentTokens: 20 },
  retry: { enabled: false },
};

export async function openPi(sandbox: Sandbox, modelUrl: string, version: PiVersion = "pi"): Promise<Pi> {
  const home = join(sandbox.root, ".pi", "agent");
  await mkdir(home, { recursive: true });
  await sandbox.write(".pi/agent/models.json", JSON.stringify(modelsFor(modelUrl)));
  await sandbox.write(".pi/agent/settings.json", JSON.stringify(SETTINGS));
  const extension = await sandbox.write(
    ".pi/test-extension.js",
    await readFile(new URL("extension.js", import.meta.url), "utf8"),
  );
  const environment = sandbox.environment({
    PI_CODING_AGENT_DIR: home,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
  });
  return {
    home,
    environment,
    talk(start = {}) {
      const args = [
        join(packageFolder(PINNED[version]), PINNED[version].proof),
        ...["--mode", "rpc", "--system-prompt", PROMPT, "--no-context-files"],
        ...(start.withSkills ? [] : ["--no-skills", "--no-prompt-templates"]),
        ...(start.withExtensions ? [] : ["--no-extensions", "--extension", extension]),
        ...(start.session === undefined ? [] : ["--session", start.session]),
        ...(start.sessionId === undefined ? [] : ["--session-id", start.sessionId]),
      ];
      const cwd = start.cwd ?? sandbox.project;
      return converse(startProgram(process.execPath, args, { cwd, env: environment }));
    },
  };
}

interface Waiting {
  readonly isIt: (message: JsonObject) => boolean;
  readonly accept: (message: JsonObject) => void;
  readonly refuse: (error: Error) => void;
}

function converse(program: LineProgram): PiTalk {
  const waiting = new Set<Waiting>();
  let refusal: string | null = null;
  let count = 0;
  let ended: Error | null = null;
  const reading = (async () => {
    for await (const line of program.lines) {
      const message = asObject(JSON.parse(line));
      if (message.type === "extension_error") refusal = JSON.stringify(message);
      for (const one of waiting) if (one.isIt(message) && waiting.delete(one)) one.accept(message);
    }
    ended = new Error(`pi ended: ${program.stderr()}`);
    for (const one of waiting) one.refuse(ended);
  })();

  function next(isIt: Waiting["isIt"]): Promise<JsonObject> {
    return new Promise((accept, refuse) => {
      if (ended === null) waiting.add({ isIt, accept, refuse });
      else refuse(ended);
    });
  }

  async function request(type: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = `request-${++count}`;
    const answered = next((message) => message.type === "response" && message.id === id);
    program.send(JSON.stringify({ ...params, id, type }));
    const answer = await answered;
    if (answer.success !== true) throw new Error(`pi refused ${type}: ${asText(answer.error)}`);
    return asObject(answer.data);
  }

  return {
    request,
    async say(words, pictures = []) {
      const images = pictures.map((picture) => ({ type: "image", ...picture }));
      const settled = next((message) => message.type === "agent_settled" || message.type === "agent_end");
      // If pi refuses the prompt, `say` throws the error of the request, and not this one.
      settled.catch(() => undefined);
      await request("prompt", { message: words, ...(images.length === 0 ? {} : { images }) });
      await settled;
      // pi answers this request after it has written everything that belongs to the turn.
      while ((await request("get_state")).isStreaming === true);
    },
    async sayInVain(words) {
      const started = next((message) => message.type === "tool_execution_start");
      await request("prompt", { message: words });
      await started;
      program.kill();
      await reading;
    },
    async extension(command, args) {
      await request("prompt", { message: `/${command} ${JSON.stringify(args)}` });
      if (refusal !== null) throw new Error(`the extension failed: ${refusal}`);
    },
    async sessionFile() {
      return asText((await request("get_state")).sessionFile);
    },
    async [Symbol.asyncDispose]() {
      await program.end();
      await reading;
    },
  };
}

/** Returns the ids of the entries of a session file, by the texts of their messages. */
export async function entryIdsIn(path: string): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const line of (await readFile(path, "utf8")).split("\n")) {
    if (line === "") continue;
    const entry = asObject(JSON.parse(line));
    const { content } = asObject(entry.message);
    const said =
      typeof content === "string"
        ? content
        : asObjects(content)
            .map(({ text }) => asText(text))
            .join("");
    if (said !== "") ids.set(said, asText(entry.id));
  }
  return ids;
}
