/**
 * Applies a packed state to a clone: commits, branch, files, index. The clone must have no changes of its own; if a
 * step fails, it has none afterwards either.
 */

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { readJsonFile, writeDurably } from "@continuo/files";
import { type ApplyNote, readNote, removeNote, writeNote } from "./apply-note.ts";
import { openRepository, type Repository, type RepositoryOptions } from "./git.ts";
import { MAX_STATE_BYTES } from "./limits.ts";
import { COMMITS, CONTENTS, STAGED, STATE, submoduleFolder } from "./pack.ts";
import { type ReadWorkTree, readWorkTree } from "./read.ts";
import {
  fingerprintOf,
  type IndexPath,
  isSafeTreePath,
  OPERATION_FILES,
  parseState,
  type WorkTreeState,
} from "./state.ts";
import { assertFree, removeFiles, writeFiles } from "./tree-files.ts";

export interface AppliedWorkTree {
  readonly state: WorkTreeState;
  /** `there`: the clone already had exactly this state. */
  readonly outcome: "applied" | "there";
}

/**
 * Errors: `conflict` for a clone with changes of its own, a branch with other commits, or a file at the same path;
 * `not_found` for commits that neither side has; `corrupt`, `unsupported`; `verification_failed` if the clone shows
 * other changes afterwards, for example because of its settings for line ends. After an error, the clone is as it was
 * before.
 *
 * @param packed the folder that `packWorkTree` wrote
 */
export async function applyWorkTree(
  repository: Repository,
  packed: string,
  options: RepositoryOptions,
): Promise<AppliedWorkTree> {
  const state = readPackedState(packed);
  await takeBackLeft(repository, options);
  const before = await readWorkTree(repository, options);
  if (fingerprintOf(before.state) === fingerprintOf(state)) return { state, outcome: "there" };
  refuseChanged(before, state);
  await takeObjects(repository, packed, state);
  const note = await noteFor(repository, before.state, state);
  assertFree(repository.worktree, note.created);
  writeNote(repository, note);
  try {
    await checkOut(repository, before.state.head, state);
    for (const [at, { path, isClean, state: inner }] of state.submodules.entries()) {
      const folder = join(repository.worktree, path);
      const own = existsSync(join(folder, ".git")) ? await openRepository(folder, options) : null;
      if (own !== null && own.worktree === folder)
        await applyWorkTree(own, submoduleFolder(packed, at), options);
      else if (!isClean) throw notCheckedOut(path, inner);
    }
    await writeStaged(repository, state);
    writeFiles(repository.worktree, state.files, join(packed, CONTENTS));
    await writeIntended(repository, state.index);
    for (const [name, text] of Object.entries(state.operation))
      writeDurably(join(repository.gitFolder, name), text);
    await repository.ask(["update-index", "-q", "--refresh"]);
    const after = await readWorkTree(repository, options);
    if (fingerprintOf(after.state) !== fingerprintOf(state)) throw different(after.state, state);
  } catch (error) {
    await takeBack(repository, note);
    throw error;
  }
  removeNote(repository);
  return { state, outcome: "applied" };
}

/** Errors: `corrupt`, `unsupported`. */
export function readPackedState(packed: string): WorkTreeState {
  return parseState(readJsonFile(join(packed, STATE), { maxBytes: MAX_STATE_BYTES }));
}

function refuseChanged({ repository, state: before, changed }: ReadWorkTree, state: WorkTreeState): void {
  const { worktree } = repository;
  if (before.objectFormat !== state.objectFormat) {
    throw new ContinuoError(
      "conflict",
      `the clone ${worktree} has the object format ${before.objectFormat}`,
      {
        hint: `Make a clone with the object format ${state.objectFormat}.`,
      },
    );
  }
  // Files that git does not track may stay, if the state has no file at their path.
  const isChanged =
    changed.length + before.index.length + Object.keys(before.operation).length > 0 ||
    before.submodules.some(({ isClean }) => !isClean);
  if (!isChanged) return;
  throw new ContinuoError("conflict", `the clone ${worktree} has changes of its own`, {
    hint: "Commit or stash them there first, or name another clone with --into DIR.",
  });
}

/** Errors: `not_found` if the clone lacks the parents of the commits that were sent. */
async function takeObjects(repository: Repository, packed: string, { head }: WorkTreeState): Promise<void> {
  const commits = join(packed, COMMITS);
  if (existsSync(commits)) {
    const isComplete = (await repository.ask(["bundle", "verify", "--quiet", commits])) !== null;
    if (!isComplete) throw missing(repository, head);
    await repository.run(["bundle", "unbundle", commits]);
  }
  if (head !== null && (await repository.ask(["cat-file", "-e", `${head}^{commit}`])) === null) {
    throw missing(repository, head);
  }
  const staged = join(packed, STAGED);
  if (existsSync(staged))
    await repository.run(["index-pack", "--stdin", "--fix-thin"], { inputFile: staged });
}

function missing({ worktree }: Repository, head: string | null): ContinuoError {
  return new ContinuoError("not_found", `the clone ${worktree} lacks commits before ${head?.slice(0, 12)}`, {
    hint: "Run `git fetch` in it, or check that it is a clone of the same repository.",
  });
}

async function noteFor(
  repository: Repository,
  before: WorkTreeState,
  state: WorkTreeState,
): Promise<ApplyNote> {
  const tracked = new Set(await pathsIn(repository, before.head));
  const gone = new Set(state.files.filter(({ kind }) => kind === "gone").map(({ path }) => path));
  const staged = state.index.filter(({ path, entries }) => entries.length > 0 && !gone.has(path));
  const paths = [...staged, ...state.files.filter(({ path }) => !gone.has(path))].map(({ path }) => path);
  const created = [...new Set(paths)].filter((path) => !tracked.has(path));
  const { branch } = state;
  const tip =
    branch === null
      ? null
      : await repository.ask(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
  if (branch !== null) await refuseDiverged(repository, branch, tip, state.head);
  const moved = branch === null ? null : { branch, head: tip };
  return { head: before.head, branch: before.branch, moved, to: state.head, files: state.files, created };
}

async function pathsIn(repository: Repository, head: string | null): Promise<readonly string[]> {
  if (head === null) return [];
  return (await repository.run(["ls-tree", "-r", "-z", "--name-only", head])).toString("utf8").split("\0");
}

async function refuseDiverged(
  repository: Repository,
  branch: string,
  tip: string | null,
  head: string | null,
): Promise<void> {
  if ((await repository.ask(["check-ref-format", `refs/heads/${branch}`])) === null) {
    throw new ContinuoError(
      "corrupt",
      `the state of the work tree names no branch: ${JSON.stringify(branch)}`,
    );
  }
  if (tip === null || tip === head) return;
  const isBehind =
    head !== null && (await repository.ask(["merge-base", "--is-ancestor", tip, head])) !== null;
  if (isBehind) return;
  throw new ContinuoError(
    "conflict",
    `the branch ${branch} of the clone has commits that the other machine lacks`,
    {
      hint: "Rename it there: `git branch -m NEW-NAME`; or name another clone with --into DIR.",
    },
  );
}

async function checkOut(repository: Repository, from: string | null, to: WorkTreeState): Promise<void> {
  await moveTree(repository, from, to.head);
  await moveHead(repository, to.branch, to.head);
}

/** Changes the files and the index from one commit to another. No hook runs. */
async function moveTree(repository: Repository, from: string | null, to: string | null): Promise<void> {
  if (from === to) return;
  const old = from ?? (await repository.ask(["hash-object", "-t", "tree", "--stdin"], { input: "" })) ?? "";
  if (to === null) {
    throw new ContinuoError(
      "conflict",
      `the clone ${repository.worktree} has commits, and the other machine none`,
      {
        hint: "Name an empty folder with --into DIR.",
      },
    );
  }
  await repository.ask(["update-index", "-q", "--refresh"]);
  await repository.run(["read-tree", "-m", "-u", old, to]);
}

async function moveHead(repository: Repository, branch: string | null, head: string | null): Promise<void> {
  if (branch === null) {
    if (head !== null) await repository.run(["update-ref", "--no-deref", "HEAD", head]);
    return;
  }
  if (head !== null) await repository.run(["update-ref", `refs/heads/${branch}`, head]);
  await repository.run(["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
}

/** Writes the index, and the files that do not differ from it. */
async function writeStaged(repository: Repository, { index, files }: WorkTreeState): Promise<void> {
  const zero = "0".repeat(40);
  const own = new Set(files.map(({ path }) => path));
  const paths = index.filter(({ intent }) => intent === undefined);
  removeFiles(
    repository.worktree,
    paths.filter(({ path, entries }) => entries.length === 0 && !own.has(path)).map(({ path }) => path),
  );
  const lines = paths.flatMap(({ path, entries }) => [
    ...(entries.some(({ stage }) => stage === 0) ? [] : [`0 ${zero}\t${path}`]),
    ...entries.map(({ mode, object, stage }) => `${mode} ${object} ${stage}\t${path}`),
  ]);
  if (lines.length === 0) return;
  await repository.run(["update-index", "-z", "--index-info"], { input: toLines(lines) });
  const isFile = ({ path, entries: [entry] }: IndexPath): boolean =>
    entry?.stage === 0 && entry.mode !== "160000" && !own.has(path);
  const input = toLines(paths.filter(isFile).map(({ path }) => path));
  await repository.run(["checkout-index", "--force", "--quiet", "-z", "--stdin"], { input });
}

/** Git accepts `--intent-to-add` only for a file that exists. */
async function writeIntended(repository: Repository, index: readonly IndexPath[]): Promise<void> {
  const input = toLines(index.filter(({ intent }) => intent).map(({ path }) => path));
  if (input === "") return;
  const args = ["add", "--intent-to-add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"];
  await repository.run(args, { input });
}

function toLines(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join("");
}

/** Undoes the changes that a killed process left. Errors: `conflict` for a file that a person changed since. */
async function takeBackLeft(repository: Repository, options: RepositoryOptions): Promise<void> {
  const note = readNote(repository);
  if (note === null) return;
  const { state } = await readWorkTree(repository, options);
  const ours = new Map(note.files.map((file) => [file.path, file]));
  for (const file of state.files) {
    const own = ours.get(file.path);
    // If the write of a file was cut off, the file is shorter.
    if (own !== undefined && (own.sha256 === file.sha256 || file.sizeBytes < own.sizeBytes)) continue;
    if (await isOfCommits(repository, file.path, note)) continue;
    throw new ContinuoError("conflict", `${file.path} was changed after a move into the clone was cut off`, {
      hint: "Copy the file to another place, run `git checkout` for it, and move again.",
    });
  }
  await takeBack(repository, note);
}

/** True if the content of the file is that of the old or the new commit, or if neither commit has the file. */
async function isOfCommits(repository: Repository, path: string, { head, to }: ApplyNote): Promise<boolean> {
  const known = [];
  for (const commit of [head, to]) {
    if (commit !== null)
      known.push(await repository.ask(["rev-parse", "--verify", "--quiet", `${commit}:${path}`]));
  }
  if (known.every((object) => object === null)) return true;
  return known.includes(await repository.ask(["hash-object", "--", path]));
}

async function takeBack(repository: Repository, { head, branch, moved, created }: ApplyNote): Promise<void> {
  for (const name of OPERATION_FILES) {
    rmSync(join(repository.gitFolder, name), { force: true });
  }
  removeFiles(
    repository.worktree,
    created.filter((path) => isSafeTreePath(path)),
  );
  if (head === null) await repository.run(["read-tree", "--empty"]);
  else await repository.run(["read-tree", "--reset", "-u", head]);
  await moveHead(repository, branch, branch === moved?.branch ? null : head);
  if (moved !== null) {
    const ref = `refs/heads/${moved.branch}`;
    if (moved.head !== null) await repository.run(["update-ref", ref, moved.head]);
    else await repository.ask(["update-ref", "-d", ref]);
  }
  removeNote(repository);
}

function notCheckedOut(path: string, { head }: WorkTreeState): ContinuoError {
  return new ContinuoError("not_found", `the submodule ${path} is not checked out in the clone`, {
    hint: "Run `git submodule update --init` in the clone.",
    details: { path, commit: head },
  });
}

function different(after: WorkTreeState, state: WorkTreeState): ContinuoError {
  const paths = new Set(state.files.map(({ path }) => path));
  const other = after.files.find(({ path }) => !paths.has(path))?.path;
  return new ContinuoError(
    "verification_failed",
    `the clone shows other changes than the other machine${other === undefined ? "" : `, for example ${other}`}`,
    {
      hint: "Compare core.autocrlf and core.fileMode of both machines, and look for files of your own in the clone; it is as it was before.",
    },
  );
}
