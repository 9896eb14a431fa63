/** A scratch home with a few small sessions, in which tests run the command as a process. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledCommand } from "../sizes/shared-programs.ts";

/** The command as separate modules, for tests of the modules that it loads. */
export const SOURCE_MAIN: string = join(import.meta.dirname, "../../src/cli/main.ts");

export const MAIN: string = await bundledCommand();

/** The executable with all of Continuo, which replaces Node and the bundle: `scripts/single.ts` makes it. */
export const SINGLE: string | undefined = process.env.CONTINUO_TEST_SINGLE;

function wordsOf(
  args: readonly string[],
  main: string = MAIN,
): readonly [program: string, args: readonly string[]] {
  return SINGLE === undefined || main !== MAIN ? [process.execPath, [main, ...args]] : [SINGLE, args];
}

export interface Home extends Disposable {
  readonly path: string;
  write(path: string, text: string): void;
}

/** The home is removed after the test, or at the end of the file. */
export function createHome(): Home {
  const path = scratchFolder("cli");
  return {
    path,
    write(file, text) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }),
  };
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Keeps from the real environment only the search path and the temporary folder of the tests. */
export function cleanEnv(home: string): Record<string, string> {
  return { HOME: home, PATH: process.env.PATH ?? "", TMPDIR: tmpdir(), TZ: "UTC", LANG: "C.UTF-8" };
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
  /** The program; `MAIN` by default. */
  readonly main?: string;
  /** Stops reading stdout after this number of characters, as `head` does. */
  readonly readChars?: number;
}

export async function run(
  home: Pick<Home, "path">,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Run> {
  const [program, words] = wordsOf(args, options.main);
  const child = spawn(program, words, {
    cwd: options.cwd ?? home.path,
    env: { ...cleanEnv(home.path), ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined).end(options.stdin ?? "");
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    if (options.readChars !== undefined && stdout.length >= options.readChars) child.stdout.destroy();
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on("error", reject).on("close", resolve);
  return { code: await promise, stdout, stderr };
}

interface OnlyPrograms {
  readonly home: string;
  /** The only folder of the search path. */
  readonly bin: string;
  readonly cwd: string;
}

/** Runs the command with only the programs of a test on the search path. */
export function runWith({ home, bin, cwd }: OnlyPrograms, args: readonly string[]): Run {
  const env = { PATH: bin, HOME: home, NO_COLOR: "1" };
  const [program, words] = wordsOf(args);
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, env, encoding: "utf8" });
  return { code: status, stdout, stderr };
}

export const CLAUDE_ID = "4bf3c2a1-0000-4000-8000-000000000001";
export const HOSTILE_ID = "4bf3d000-0000-4000-8000-000000000002";
export const DAMAGED_ID = "5ad00000-0000-4000-8000-000000000003";
export const CODEX_ID = "01999999-1111-7222-8333-000000000001";

/** The file of a session of `writeSessions`. */
export function claudeFile(id: string): string {
  return `.claude/projects/-home-ann-app/${id}.jsonl`;
}

interface ClaudeLine {
  readonly uuid: string;
  readonly parent: string | null;
  readonly role: "user" | "assistant";
  readonly content: unknown;
  readonly time: string;
}

/** A file of Claude Code, in the form that 2.1.330 writes, with the fields that its reader needs. */
export function claudeText(id: string, lines: readonly ClaudeLine[]): string {
  const records = lines.map(({ uuid, parent, role, content, time }, at) => ({
    parentUuid: parent,
    isSidechain: false,
    userType: "external",
    cwd: "/home/ann/app",
    sessionId: id,
    version: "2.1.330",
    gitBranch: "main",
    type: role,
    message:
      role === "user"
        ? { role, content }
        : {
            id: `msg_${at}`,
            type: "message",
            role,
            model: "model-a",
            content,
            stop_reason: "end_turn",
            usage: { input_tokens: 1000, output_tokens: 20 },
          },
    uuid,
    timestamp: `2025-01-05T${time}.000Z`,
  }));
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

export const CONVERSATION: readonly ClaudeLine[] = [
  { uuid: "u1", parent: null, role: "user", content: "Fix the build", time: "10:00:00" },
  {
    uuid: "a1",
    parent: "u1",
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Look first.", signature: "" },
      { type: "text", text: "I **look**." },
      { type: "tool_use", id: "t1", name: "Bash", input: { command: "make" } },
    ],
    time: "10:00:01",
  },
  {
    uuid: "r1",
    parent: "a1",
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "t1",
        is_error: true,
        content: Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n"),
      },
    ],
    time: "10:00:02",
  },
  {
    uuid: "a2",
    parent: "r1",
    role: "assistant",
    content: [{ type: "text", text: "Old end." }],
    time: "10:00:03",
  },
  { uuid: "u2", parent: "r1", role: "user", content: "Try again", time: "10:01:00" },
  {
    uuid: "a3",
    parent: "u2",
    role: "assistant",
    content: [{ type: "text", text: "# Done\n\nAll well." }],
    time: "10:01:01",
  },
];

const HOSTILE: readonly ClaudeLine[] = [
  {
    uuid: "h1",
    parent: null,
    role: "user",
    content: "\u001b]0;owned\u0007 \u001b[2J日本語 \u202egnp.exe",
    time: "09:00:00",
  },
  {
    uuid: "h2",
    parent: "h1",
    role: "assistant",
    content: [{ type: "text", text: "```\n## User · now\n\n\u001b[31mI am you" }],
    time: "09:00:01",
  },
];

const CODEX_LINES: readonly Readonly<Record<string, unknown>>[] = [
  {
    timestamp: "2025-01-06T08:00:00.000Z",
    type: "session_meta",
    payload: {
      id: CODEX_ID,
      timestamp: "2025-01-06T08:00:00.000Z",
      cwd: "/home/ann/tool",
      originator: "codex_exec",
      cli_version: "0.169.0",
      source: "cli",
    },
  },
  {
    timestamp: "2025-01-06T08:00:01.000Z",
    type: "event_msg",
    payload: { type: "user_message", message: "Hello Codex" },
  },
  {
    timestamp: "2025-01-06T08:00:02.000Z",
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Hello Codex" }] },
  },
  {
    timestamp: "2025-01-06T08:00:03.000Z",
    type: "response_item",
    payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] },
  },
];

/** Writes two sessions of Claude Code, one with a branch and one hostile, and one of Codex. */
export function writeSessions(home: Home): void {
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
  home.write(claudeFile(HOSTILE_ID), claudeText(HOSTILE_ID, HOSTILE));
  home.write(
    `.codex/sessions/2025/01/06/rollout-2025-01-06T08-00-00-${CODEX_ID}.jsonl`,
    CODEX_LINES.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
}

/** A session with a line that is not JSON, and an incomplete last line. */
export function writeDamaged(home: Home): void {
  const lines = claudeText(DAMAGED_ID, CONVERSATION.slice(0, 1));
  home.write(claudeFile(DAMAGED_ID), `${lines}{"broken": \n{"type":"user","uu`);
}
