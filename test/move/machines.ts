/** Two machines as two homes: a session and a clone on one, a clone on the other, and an ssh that leads from one to the other. */

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AgentName } from "@continuo/core/model";
import { cleanEnv, MAIN, type Run } from "../cli/home.ts";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { header, TALK, writeThread } from "../lost/codex-recipes.ts";
import { GEMINI_TALK, geminiHead, writeGemini } from "../lost/gemini-recipes.ts";
import { PI_TALK, piHeader, writePi } from "../lost/pi-recipes.ts";
import { type LostHome, makeLostHome, toLines, writeText } from "../lost/recipe.ts";
import { type Git, gitIn, makeOrigin, type Shape } from "./tree-shapes.ts";

export type MovedAgent = Extract<AgentName, "claude" | "codex" | "gemini" | "opencode" | "pi">;
export const MOVED_AGENTS: readonly MovedAgent[] = ["claude", "codex", "gemini", "opencode", "pi"];

export interface Machines {
  readonly root: string;
  readonly here: Git;
  readonly there: Git;
  /**
   * The folder with `ssh`: by default a script that starts the command in the other home, or the real ssh with its
   * options.
   */
  readonly bin: string;
  on(
    machine: "here" | "there",
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Run>;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
  startOn(
    machine: "here" | "there",
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): ChildProcess;
  move(...args: readonly string[]): Promise<Run>;
}

const SAID = [
  { role: "user", content: "Make the timer stop" },
  { role: "assistant", content: "It stops now." },
] as const;

/** The database comes from the real agent, because the one in the recipes has only the columns that its list needs. */
function useOpencode(home: LostHome): void {
  using database = copyDatabase(home);
  database.prepare("update session set directory = ?").run(home.project);
}

/** Makes the home of an agent that ran before, but has no session. */
function useEmptyOpencode(home: LostHome): void {
  using database = copyDatabase(home);
  database.exec("pragma foreign_keys = on; delete from session");
}

function copyDatabase({ root }: LostHome): DatabaseSync {
  const data = join(root, ".local/share");
  cpSync(join(import.meta.dirname, "../fixtures/opencode/text-and-thinking/home"), data, { recursive: true });
  return new DatabaseSync(opencodeDatabase(root));
}

export function opencodeDatabase(home: string): string {
  return join(home, ".local/share/opencode/opencode.db");
}

const WRITERS: Readonly<Record<MovedAgent, (home: LostHome) => void>> = {
  claude: (home) => writeText(sessionPath(home), toLines(talk(home, SAID))),
  codex: (home) => void writeThread(home, [header(home), ...TALK]),
  gemini: (home) => void writeGemini(home, [geminiHead(home), ...GEMINI_TALK]),
  opencode: useOpencode,
  pi: (home) => void writePi(home, [piHeader(home), ...PI_TALK]),
};

export interface MachineOptions extends Pick<Shape, "prepare"> {
  readonly agent?: MovedAgent;
}

export const REMOTE: string = `${process.execPath} ${MAIN}`;

export function makeMachines(root: string, { agent = "claude", prepare }: MachineOptions = {}): Machines {
  makeOrigin(join(root, "origin"), prepare === undefined ? {} : { prepare });
  const home = makeLostHome(join(root, "here"));
  mkdirSync(join(root, "there"));
  for (const machine of ["here", "there"]) gitIn(root)("clone", "--quiet", "origin", `${machine}/timer`);
  WRITERS[agent]({ ...home, project: join(root, "here/timer") });
  if (agent === "opencode") useEmptyOpencode(makeLostHome(join(root, "there")));
  const bin = join(root, "bin");
  mkdirSync(bin);
  // The test sets the number of bytes after which the connection is cut, and reads the process to kill.
  const script = `#!/bin/sh
while [ "$1" != "--" ]; do shift; done
export HOME=${join(root, "there")}
cd "$HOME"
echo $$ > ${join(root, "far.pid")}
if [ -n "$CUT" ]; then dd bs=1 count="$CUT" 2>/dev/null | exec sh -c "$3"; else exec sh -c "exec $3"; fi
`;
  writeFileSync(join(bin, "ssh"), script);
  chmodSync(join(bin, "ssh"), 0o755);
  const startOn: Machines["startOn"] = (machine, args, env = {}) => {
    const path = join(root, machine);
    const searched = machine === "here" ? { PATH: `${bin}:${process.env.PATH}` } : {};
    const all = { ...cleanEnv(path), ...searched, ...env };
    return spawn(process.execPath, [MAIN, ...args], {
      cwd: path,
      env: all,
      stdio: ["ignore", "pipe", "pipe"],
    });
  };
  const on: Machines["on"] = async (machine, args, env) => await ended(startOn(machine, args, env));
  return {
    root,
    bin,
    here: gitIn(join(root, "here/timer")),
    there: gitIn(join(root, "there/timer")),
    on,
    startOn,
    start: (args, env) => startOn("here", args, env),
    move: (...args) => on("here", ["move", "last", "--remote-command", REMOTE, ...args]),
  };
}

export async function ended(child: ChildProcess): Promise<Run> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((done, refuse) => {
    child.once("error", refuse).once("close", done);
  });
  return { code, stdout, stderr };
}

/** Makes staged, changed and new files, an ignored one, and a commit that was not pushed. */
export function changeTree(git: Git): void {
  git.write("src/stop.ts", "export const stop = 1;\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=Stop");
  git.write("src/stop.ts", "export const stop = 2;\n");
  git("add", "src/stop.ts");
  git.write("notes.md", "- look again\n");
  git.write(".env", "TOKEN=secret\n");
}

export const shownIn = (git: Git): readonly string[] => [
  git("status", "--porcelain=v2"),
  git("diff", "--binary"),
  git("diff", "--binary", "--cached"),
  git("rev-parse", "HEAD", "--abbrev-ref", "HEAD"),
];
