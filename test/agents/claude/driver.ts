/** Runs the real Claude Code as `claude -p`, and exchanges lines of JSON with it. */

import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { asObject, asObjects, asText, type JsonObject } from "../../model-servers/index.ts";
import { PINNED, packageFolder } from "../install.ts";
import { type LineProgram, type Sandbox, startProgram } from "../sandbox.ts";

/** The text, or content blocks of the Messages API. */
export type ClaudePrompt = string | readonly JsonObject[];

export interface ClaudeOptions {
  /** A new session gets this id. */
  readonly sessionId?: string;
  readonly resume?: string;
  /** With `resume`: leave that session unchanged and write a new one. */
  readonly fork?: true;
  /** With `resume`: continue after the assistant's record with this id, which creates a branch. */
  readonly at?: string;
  readonly title?: string;
  readonly permissionMode?: "plan";
  readonly meanwhile?: Meanwhile;
  readonly cwd?: string;
}

/** The text that is sent while the first tool call of the answer runs, so that it reaches the model within the turn. */
export interface Meanwhile {
  readonly say: string;
  /** The callback that runs when the text was accepted; it lets the tool call end. */
  readonly release: () => Promise<unknown>;
}

export interface ClaudeRun {
  readonly sessionId: string;
  /** The text of the last answer. */
  readonly result: string;
  readonly events: readonly JsonObject[];
}

/** The reason why a turn failed. */
export type Mishap = "killed during the first tool call" | "refused by the model";

export interface Claude {
  /** `CLAUDE_CONFIG_DIR`. */
  readonly configFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Starts Claude Code once and sends one prompt after another. Throws if a turn fails. */
  say(said: readonly ClaudePrompt[], options?: ClaudeOptions): Promise<ClaudeRun>;
  /** Sends one prompt, after which Claude Code is killed or shows an error. */
  sayInVain(said: ClaudePrompt, mishap: Mishap, options?: ClaudeOptions): Promise<void>;
}

/** Returns the name of the folder in which Claude Code keeps the sessions of a working folder. */
export function projectFolderName(cwd: string): string {
  return cwd.replaceAll(/[^a-zA-Z0-9]/g, "-");
}

/** Claude Code must not delete a session of the tests because of its age. */
const SETTINGS = { cleanupPeriodDays: 36_500, includeCoAuthoredBy: false };

const ARGUMENTS = [
  "-p",
  "--verbose",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--allowedTools=Bash,Read,Write,Edit,Agent",
] as const;

/** Keeps Claude Code's own prompts, and most of its tools, out of requests and files. */
const BARE = ["--bare", "--system-prompt=You help with this project."] as const;

/** `full`: as people run it; `bare`: the session files contain little more than the conversation. */
export type ClaudeMode = "full" | "bare";

export type ClaudeVersion = "claude" | "claude2197";

export async function openClaude(
  sandbox: Sandbox,
  modelUrl: string,
  mode: ClaudeMode,
  version: ClaudeVersion = "claude",
): Promise<Claude> {
  const configFolder = join(sandbox.root, ".claude");
  await mkdir(join(configFolder, "projects"), { recursive: true });
  await sandbox.write(".claude/settings.json", JSON.stringify(SETTINGS));
  const environment = sandbox.environment({
    CLAUDE_CONFIG_DIR: configFolder,
    CLAUDE_CODE_TMPDIR: sandbox.tmp,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "a-key-for-tests",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
  });
  const start = (options: ClaudeOptions): LineProgram => {
    const args = [...ARGUMENTS, ...(mode === "bare" ? BARE : []), ...argumentsOf(options)];
    return startProgram(claudeBinary(version), args, {
      cwd: options.cwd ?? sandbox.project,
      env: environment,
    });
  };
  return {
    configFolder,
    environment,
    async say(said, options = {}) {
      await using program = start(options);
      const { meanwhile } = options;
      const during = async (): Promise<void> => {
        if (meanwhile === undefined) return;
        program.send(lineFor(meanwhile.say));
        await isWritten(configFolder, meanwhile.say);
        await meanwhile.release();
      };
      const run = await converse(program, said, during);
      if (run.failure !== null) throw new Error(`claude failed: ${run.failure}`);
      return run;
    },
    async sayInVain(said, mishap, options = {}) {
      await using program = start(options);
      if (mishap === "refused by the model") {
        const run = await converse(program, [said], async () => undefined);
        if (run.failure === null) throw new Error("claude completed a turn that the model should refuse");
        return;
      }
      program.send(lineFor(said));
      for await (const line of program.lines) {
        const event = asObject(JSON.parse(line));
        if (isToolCall(event)) await isWritten(configFolder, asText(event.uuid));
        if (isToolCall(event)) break;
      }
      program.kill();
    },
  };
}

function lineFor(content: ClaudePrompt): string {
  return JSON.stringify({ type: "user", message: { role: "user", content } });
}

function isToolCall(event: JsonObject): boolean {
  const blocks = asObjects(asObject(event.message).content);
  return event.type === "assistant" && blocks.some((block) => block.type === "tool_use");
}

/** Waits until a text is in a session file, because Claude Code reports an event before it writes the record. */
async function isWritten(configFolder: string, words: string): Promise<void> {
  const folder = join(configFolder, "projects");
  const deadline = performance.now() + WRITE_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
    const files = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    if (files.some((text) => text.includes(words))) return;
    await new Promise((look) => setTimeout(look, 20));
  }
  throw new Error(`claude wrote no line with "${words}" within ${WRITE_TIMEOUT_MS} ms`);
}

/** The limit is far longer than the usual wait. */
const WRITE_TIMEOUT_MS = 30_000;

/** Sends each prompt after the previous one is answered; a prompt that is sent earlier would join the running turn. */
async function converse(
  program: LineProgram,
  said: readonly ClaudePrompt[],
  duringFirstCall: () => Promise<void>,
): Promise<ClaudeRun & { readonly failure: string | null }> {
  const events: JsonObject[] = [];
  const left = [...said];
  const sayNext = (): boolean => {
    const content = left.shift();
    if (content !== undefined) program.send(lineFor(content));
    return content !== undefined;
  };
  sayNext();
  for await (const line of program.lines) {
    const event = asObject(JSON.parse(line));
    events.push(event);
    if (events.findIndex(isToolCall) === events.length - 1) await duringFirstCall();
    // After its input is closed, Claude Code ends as soon as no background task runs.
    if (event.type === "result" && (hasFailed(event) || !sayNext())) program.closeInput();
  }
  const code = await program.end();
  const last = events.findLast((event) => event.type === "result") ?? {};
  const failed = code !== 0 || hasFailed(last) || left.length > 0;
  const failure = failed ? `exit ${code}: ${program.stderr()}\n${JSON.stringify(events.at(-1))}` : null;
  return { sessionId: asText(last.session_id), result: asText(last.result), events, failure };
}

function hasFailed(result: JsonObject): boolean {
  return result.subtype !== "success" || result.is_error === true;
}

export function claudeBinary(version: ClaudeVersion = "claude"): string {
  return join(packageFolder(PINNED[version]), "claude");
}

function argumentsOf(options: ClaudeOptions): readonly string[] {
  return [
    ...(options.sessionId === undefined ? [] : ["--session-id", options.sessionId]),
    ...(options.resume === undefined ? [] : ["--resume", options.resume]),
    ...(options.fork === undefined ? [] : ["--fork-session"]),
    ...(options.at === undefined ? [] : ["--resume-session-at", options.at]),
    ...(options.title === undefined ? [] : ["--name", options.title]),
    ...(options.permissionMode === undefined ? [] : ["--permission-mode", options.permissionMode]),
  ];
}
