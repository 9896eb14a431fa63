/**
 * Starts git without trust in the repository: it runs no hook, no monitor, and no filter of the repository's settings,
 * and uses no network. Filters of the person's own settings, such as those of LFS, do run.
 */

import type { StdioOptions } from "node:child_process";
import { closeSync, openSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { ContinuoError, cutText, present } from "@continuo/core/model";
import { gitFolderAbove, type Places } from "@continuo/files";
import { MAX_ANSWER_BYTES } from "./limits.ts";

export interface Repository {
  /** The folder of the work tree. */
  readonly worktree: string;
  /** The folder with the index and `HEAD` of this work tree. */
  readonly gitFolder: string;
  run(args: readonly string[], options?: RunOptions): Promise<Buffer>;
  /** Returns the output without its last line break; `null` if git fails. */
  ask(args: readonly string[], options?: RunOptions): Promise<string | null>;
}

export interface RunOptions {
  readonly input?: string | Buffer;
  /** A file that git reads instead of `input`. */
  readonly inputFile?: string;
  /** A new file for the output; the returned text is then empty. */
  readonly output?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface RepositoryOptions {
  readonly places: Places;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `null` for a folder that is in no repository. Errors: `unsupported` if git is missing, if git does not accept the
 * folder as a work tree, and for settings that name a work tree elsewhere.
 */
export async function openRepository(
  folder: string,
  { places, signal }: RepositoryOptions,
): Promise<Repository | null> {
  const worktree = gitFolderAbove(folder);
  if (worktree === null) return null;
  const start = { cwd: worktree, signal };
  const filters = await filtersIn(start, places);
  const env = environmentOf(places, [...SETTINGS, ...filters.flatMap(withoutFilter)]);
  const run: Repository["run"] = (args, options) => runGit(args, { ...start, ...options, env });
  const ask: Repository["ask"] = async (args, options) => {
    try {
      return (await run(args, options)).toString("utf8").replace(/\n$/u, "");
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ContinuoError && error.details.exitCode !== undefined) return null;
      throw error;
    }
  };
  const answer = (await run(["rev-parse", "--show-toplevel", "--absolute-git-dir"])).toString("utf8");
  const [top = "", gitFolder = ""] = answer.trimEnd().split("\n");
  if (resolve(top) !== realpathSync(worktree)) {
    throw new ContinuoError(
      "unsupported",
      `the repository in ${worktree} has its work tree elsewhere: ${top}`,
      {
        hint: "Remove core.worktree from its settings.",
      },
    );
  }
  return { worktree, gitFolder, run, ask };
}

type GitSetting = readonly [key: string, value: string];

/** Settings that keep git from starting programs that a repository names, and that make its output always the same. */
const SETTINGS: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.alternateRefsCommand", ""],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["core.quotePath", "false"],
  ["core.untrackedCache", "false"],
  ["core.splitIndex", "false"],
  ["protocol.allow", "never"],
  ["submodule.recurse", "false"],
  ["status.relativePaths", "false"],
  ["advice.detachedHead", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["init.templateDir", ""],
  // With several threads, a pack has other bytes each time.
  ["pack.threads", "1"],
];

function withoutFilter(name: string): readonly GitSetting[] {
  return [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.process`, ""],
    [`filter.${name}.required`, "false"],
  ];
}

const KEPT = ["PATH", "HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SystemRoot", "TMPDIR", "TEMP", "TMP"];

function environmentOf({ home, env }: Places, settings: readonly GitSetting[]): NodeJS.ProcessEnv {
  const kept = KEPT.map((name) => [name, env[name]]).filter(([, value]) => value !== undefined);
  return {
    HOME: home,
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}

interface Start {
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
}

/** The names of filters that the repository's own settings define: such a filter could name any program. */
async function filtersIn(start: Start, places: Places): Promise<readonly string[]> {
  const args = ["config", "--null", "--show-scope", "--get-regexp", "^filter\\..*\\.[a-z]+$"];
  const answer = await runGit(args, { ...start, env: environmentOf(places, SETTINGS), allowed: [1] });
  const parts = answer.toString("utf8").split("\0");
  const names = new Set<string>();
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope = "", entry = ""] = parts.slice(at);
    const [, name] = /^filter\.(.*)\.[a-z]+$/su.exec(entry.split("\n")[0] ?? "") ?? [];
    if (name !== undefined && ["local", "worktree"].includes(scope)) names.add(name);
  }
  return [...names];
}

interface GitRun extends RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Further exit codes that count as success. */
  readonly allowed?: readonly number[];
}

/** Creates a repository in a folder that is not a repository yet. Errors: `unsupported`. */
export async function initRepository(
  folder: string,
  { branch, objectFormat }: { readonly branch: string | null; readonly objectFormat: string },
  { places, signal }: RepositoryOptions,
): Promise<void> {
  const env = environmentOf(places, SETTINGS);
  const named = branch === null ? [] : [`--initial-branch=${branch}`];
  await runGit(["init", "--quiet", `--object-format=${objectFormat}`, ...named], {
    cwd: folder,
    signal,
    env,
  });
}

async function runGit(args: readonly string[], options: GitRun): Promise<Buffer> {
  const { spawn } = await import("node:child_process");
  const { cwd, env, signal, input, inputFile, output, allowed = [] } = options;
  signal?.throwIfAborted();
  const fd = output === undefined ? null : openSync(output, "wx", 0o600);
  const inputFd = inputFile === undefined ? null : openSync(inputFile, "r");
  try {
    const stdio: StdioOptions = [inputFd ?? "pipe", fd ?? "pipe", "pipe"];
    const child = spawn("git", [...args], { cwd, env, stdio, ...present({ signal }) });
    const answer = collect(child.stdout, MAX_ANSWER_BYTES);
    const said = collect(child.stderr, MAX_ANSWER_BYTES);
    // Git may end before it has read the whole input.
    child.stdin?.on("error", () => undefined).end(input ?? "");
    const code = await new Promise<number | null>((done, refuse) => {
      child.once("error", refuse).once("close", done);
    });
    if (code === 0 || (code !== null && allowed.includes(code))) return answer();
    throw refused(args, code, said().toString("utf8"));
  } catch (cause) {
    signal?.throwIfAborted();
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new ContinuoError("unsupported", "cannot read the work tree: git is not installed", {
      hint: "Install git, or leave the work tree out with --no-work-tree.",
      cause,
    });
  } finally {
    for (const open of [fd, inputFd]) if (open !== null) closeSync(open);
  }
}

const MAX_SAID_CHARS = 300;

function refused(args: readonly string[], code: number | null, said: string): ContinuoError {
  const why = cutText(said.trim().replaceAll(/\s+/gu, " "), MAX_SAID_CHARS);
  return new ContinuoError("unsupported", `git ${args[0]} failed: ${why || `it ended with ${code}`}`, {
    hint: "Run the same in the repository to see more, or leave the work tree out with --no-work-tree.",
    details: { exitCode: code ?? -1 },
  });
}

function collect(stream: NodeJS.ReadableStream | null, maxBytes: number): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  });
  return () => {
    if (size > maxBytes) {
      throw new ContinuoError("too_large", "the answer of git is too large to be read", {
        details: { maxBytes },
      });
    }
    return Buffer.concat(chunks);
  };
}
