/** Finds the turns that wrote the lines of a commit, and the turns in which it was made. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ORIGIN_LIMITS, type Origins } from "@continuo/agents/search";
import { ContinuoError, type FileBlame, type LineOrigin } from "@continuo/core/model";
import { linesOf, parseUnifiedDiff } from "@continuo/core/transcript/work";

export interface CommitWriter extends LineOrigin {
  /** Lines that the commit adds and this turn wrote, and the files of these lines. */
  readonly lines: number;
  readonly files: readonly string[];
}

export interface CommitBlame {
  readonly hash: string;
  readonly subject: string;
  readonly committedAt: string;
  /** The turns that wrote its lines; the turn with the most lines comes first. */
  readonly writers: readonly CommitWriter[];
  /** The turns in which the output of git shows that the commit was made. */
  readonly committers: readonly LineOrigin[];
  /** Lines that the commit adds, and the number of them that no session wrote. */
  readonly added: number;
  readonly unknown: number;
  /** Files of the commit that were not examined: too many, or too large. */
  readonly filesLeft: number;
  readonly left: FileBlame["left"];
}

const MAX_FILES = 100;
const GIT_BYTES = 64_000_000;

type WithOrigins = <T>(before: string, ask: (origins: Origins) => Promise<T>) => Promise<T>;

/** Errors: `not_found` for a revision; `unsupported` without git or outside of a repository. */
export async function blameCommit(
  revision: string,
  cwd: string,
  withOrigins: WithOrigins,
): Promise<CommitBlame> {
  const root = (await git(cwd, ["rev-parse", "--show-toplevel"])).trim();
  const format = ["-s", "--format=%H%n%cI%n%s"];
  const shown = await git(root, ["show", ...format, "--end-of-options", `${revision}^{commit}`]).catch(
    () => null,
  );
  const [hash = "", committedAt = "", subject = ""] = shown?.split("\n") ?? [];
  if (hash === "") {
    throw new ContinuoError("not_found", `the repository has no commit ${JSON.stringify(revision)}`, {
      hint: "Name a hash, a branch or a tag.",
    });
  }
  const diff = await git(root, [
    ...["-c", "core.quotePath=false", "show", "--format=", "--unified=0", "--no-color", "--no-ext-diff"],
    ...["--no-textconv", "--first-parent", "--diff-merges=first-parent", hash],
  ]);
  const added = addedLines(diff);
  const before = new Date(committedAt).toISOString();
  return await withOrigins(before, async (origins) => {
    const writers = new Map<string, CommitWriter & { lines: number; readonly files: string[] }>();
    const left = { sessions: 0, unreadable: 0, unsearched: 0, edits: 0 };
    let [total, unknown, filesLeft] = [0, 0, Math.max(0, added.size - MAX_FILES)];
    for (const [path, numbers] of [...added].slice(0, MAX_FILES)) {
      const lines = linesOf(await git(root, ["show", `${hash}:${path}`]));
      if (lines.length > ORIGIN_LIMITS.fileLines) {
        filesLeft += 1;
        continue;
      }
      const blame = await origins.ofFile(join(root, path), lines);
      for (const key of ["sessions", "unreadable", "unsearched", "edits"] as const)
        left[key] = Math.max(left[key], blame.left[key]);
      for (const line of blame.lines) {
        if (!numbers.has(line.line)) continue;
        total += 1;
        const origin = line.origin === null ? undefined : blame.origins[line.origin];
        if (origin === undefined) unknown += 1;
        else addLine(writers, origin, path);
      }
    }
    return {
      hash,
      subject,
      committedAt,
      writers: [...writers.values()].sort((a, b) => b.lines - a.lines),
      committers: await origins.ofCommit(hash),
      added: total,
      unknown,
      filesLeft,
      left,
    };
  });
}

function addLine(
  writers: Map<string, CommitWriter & { lines: number; readonly files: string[] }>,
  origin: LineOrigin,
  path: string,
): void {
  const key = JSON.stringify([origin.location, origin.branch, origin.turn]);
  const writer = writers.get(key) ?? { ...origin, lines: 0, files: [] };
  writers.set(key, writer);
  writer.lines += 1;
  if (!writer.files.includes(path)) writer.files.push(path);
}

/** The numbers of the lines that a diff adds, by files. */
function addedLines(diff: string): ReadonlyMap<string, ReadonlySet<number>> {
  const added = new Map<string, ReadonlySet<number>>();
  for (const { path, hunks } of parseUnifiedDiff(diff)) {
    const numbers = new Set<number>();
    for (const { at, lines } of hunks) {
      let number = at ?? 1;
      for (const { sign } of lines) {
        if (sign === "+") numbers.add(number);
        if (sign !== "-") number += 1;
      }
    }
    if (path !== null && numbers.size > 0) added.set(path, numbers);
  }
  return added;
}

/** Errors: `unsupported` if git fails, for example because it is missing, or outside of a repository. */
async function git(cwd: string, args: readonly string[]): Promise<string> {
  try {
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
    const { stdout } = await promisify(execFile)("git", args, { cwd, env, maxBuffer: GIT_BYTES });
    return stdout;
  } catch (error) {
    throw new ContinuoError("unsupported", "git cannot answer in this folder", {
      hint: "Run the command in a repository of git.",
      cause: error,
    });
  }
}
