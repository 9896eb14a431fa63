/** Reads the state of a work tree. Nothing is written, not even git's own index. */

import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { readSmallFile } from "@continuo/files";
import { openRepository, type Repository, type RepositoryOptions } from "./git.ts";
import { MAX_IGNORED_NAMES, MAX_SUBMODULE_DEPTH, MAX_TREE_BYTES, MAX_TREE_FILES } from "./limits.ts";
import {
  type IndexEntry,
  type IndexPath,
  isSafeTreePath,
  OPERATION_FILES,
  type Submodule,
  type TreeFile,
  totalOf,
  type WorkTreeState,
} from "./state.ts";

export interface ReadWorkTree {
  readonly repository: Repository;
  readonly state: WorkTreeState;
  /** Tracked paths whose file differs from the index. */
  readonly changed: readonly string[];
  /** The names of ignored files and folders; at most a thousand. */
  readonly ignored: readonly string[];
  /** Repositories in the work tree that are not submodules. */
  readonly leftOut: readonly string[];
  /** In the order of `state.submodules`. */
  readonly submodules: readonly ReadWorkTree[];
}

/**
 * Errors: `unsupported` for an unfinished operation of git, a file or a name that cannot be moved, and if git refuses;
 * `too_large`, `unreadable`.
 */
export async function readWorkTree(
  repository: Repository,
  options: RepositoryOptions,
  depth: number = 0,
): Promise<ReadWorkTree> {
  refuseUnfinished(repository);
  const status = parseStatus(textOf(await repository.run(STATUS)));
  const objectFormat =
    (await repository.ask(["rev-parse", "--show-object-format"])) === "sha256" ? "sha256" : "sha1";
  const paths = [...status.changed, ...status.untracked];
  if (paths.length > MAX_TREE_FILES) throw tooLarge({ maxFiles: MAX_TREE_FILES });
  const files: TreeFile[] = [];
  for (const path of paths.toSorted(inOrder)) {
    options.signal?.throwIfAborted();
    files.push(fileAt(repository.worktree, path));
    if (totalOf(files.slice(-1)) > MAX_TREE_BYTES) throw tooLarge({ maxBytes: MAX_TREE_BYTES });
  }
  if (totalOf(files) > MAX_TREE_BYTES) throw tooLarge({ maxBytes: MAX_TREE_BYTES });
  const inner = await readSubmodules(repository, options, depth);
  const state: WorkTreeState = {
    version: 1,
    head: status.head,
    branch: status.branch,
    objectFormat,
    index: status.index.toSorted((a, b) => inOrder(a.path, b.path)),
    files,
    operation: operationOf(repository),
    submodules: inner.map(({ submodule }) => submodule),
  };
  return {
    repository,
    state,
    changed: status.changed,
    ignored: status.ignored.slice(0, MAX_IGNORED_NAMES),
    leftOut: status.nested,
    submodules: inner.map(({ read }) => read),
  };
}

const STATUS = [
  "status",
  "--porcelain=v2",
  "-z",
  "--branch",
  "--no-renames",
  "--untracked-files=all",
  "--ignored=traditional",
  // Each submodule is read separately, with safe settings.
  "--ignore-submodules=dirty",
];

interface Status {
  readonly head: string | null;
  readonly branch: string | null;
  readonly index: readonly IndexPath[];
  /** Tracked paths whose file differs from the index. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
  readonly nested: readonly string[];
}

function parseStatus(text: string): Status {
  let head: string | null = null;
  let branch: string | null = null;
  const index: IndexPath[] = [];
  const changed: string[] = [];
  const untracked: string[] = [];
  const ignored: string[] = [];
  const nested: string[] = [];
  for (const line of text.split("\0")) {
    const fields = line.split(" ");
    const [type, xy = "", sub = ""] = fields;
    if (type === "#") {
      if (xy === "branch.oid") head = sub === "(initial)" ? null : sub;
      if (xy === "branch.head") branch = line.slice("# branch.head ".length);
    } else if (type === "?") {
      const path = line.slice(2);
      (path.endsWith("/") ? nested : untracked).push(path);
    } else if (type === "!") {
      ignored.push(line.slice(2));
    } else if (type === "1" || type === "u") {
      const isConflict = type === "u";
      const path = safe(fields.slice(isConflict ? 10 : 8).join(" "));
      const entries = isConflict ? conflictIn(fields) : entryIn(fields);
      const intent = !isConflict && xy === ".A";
      if (isConflict || !xy.startsWith(".") || intent) {
        index.push({ path, entries: intent ? [] : entries, ...(intent && { intent }) });
      }
      const isModule = sub.startsWith("S");
      if (!isModule && (isConflict || !xy.endsWith("."))) changed.push(path);
    }
  }
  for (const path of untracked) safe(path);
  return {
    head,
    branch: branch === "(detached)" ? null : branch,
    index,
    changed,
    untracked,
    ignored,
    nested,
  };
}

/** `1 XY sub mH mI mW hH hI path` */
function entryIn([, , , , mode = "", , , object = ""]: readonly string[]): readonly IndexEntry[] {
  return mode === ABSENT ? [] : [{ mode, object, stage: 0 }];
}

/** `u XY sub m1 m2 m3 mW h1 h2 h3 path` */
function conflictIn(fields: readonly string[]): readonly IndexEntry[] {
  return [1, 2, 3]
    .map((stage) => ({ mode: fields[2 + stage] ?? "", object: fields[6 + stage] ?? "", stage }))
    .filter(({ mode }) => mode !== ABSENT);
}

const ABSENT = "000000";

/** Git returns bytes; a name that is not UTF-8 cannot be written as JSON. Errors: `unsupported`. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (Buffer.from(text, "utf8").equals(bytes)) return text;
  throw new ContinuoError("unsupported", "the work tree has a file whose name is not UTF-8", {
    hint: "Rename the file; `git status` shows its name with a backslash.",
  });
}

function safe(path: string): string {
  if (isSafeTreePath(path)) return path;
  throw new ContinuoError(
    "unsupported",
    `the work tree has a file that cannot be moved: ${JSON.stringify(path)}`,
    {
      hint: "Rename or delete the file.",
    },
  );
}

const NOTHING: string = createHash("sha256").digest("hex");

function fileAt(worktree: string, path: string): TreeFile {
  const full = join(worktree, path);
  const stat = statOf(full);
  // A folder replaced the file; the files in it have their own paths.
  if (stat === null || stat.isDirectory()) return { path, kind: "gone", sizeBytes: 0, sha256: NOTHING };
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(full, "buffer");
    const sha256 = createHash("sha256").update(target).digest("hex");
    return { path, kind: "link", sizeBytes: target.length, sha256 };
  }
  if (!stat.isFile()) {
    throw new ContinuoError("unsupported", `the work tree has a file that is not a regular file: ${path}`, {
      hint: "Delete it, or add it to .gitignore.",
    });
  }
  if (stat.size > MAX_TREE_BYTES) throw tooLarge({ maxBytes: MAX_TREE_BYTES });
  const kind = (stat.mode & 0o100) === 0 ? "file" : "executable";
  return { path, kind, ...hashOf(full) };
}

/** Returns `null` if nothing exists at the path, also if one of its folders was replaced by a file. */
export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}

const CHUNK_BYTES = 1024 * 1024;

function hashOf(path: string): { readonly sizeBytes: number; readonly sha256: string } {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for (const chunk of chunksOf(path)) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

/** Errors: `unreadable`. */
export function* chunksOf(path: string): Generator<Buffer, void, void> {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (cause) {
    throw new ContinuoError("unreadable", `cannot read ${path}`, { cause });
  }
  try {
    // Most files are small, and large buffers are slow to allocate.
    const sizeBytes = Math.min(CHUNK_BYTES, fstatSync(fd).size + 1);
    for (;;) {
      const buffer = Buffer.allocUnsafe(sizeBytes);
      const count = readSync(fd, buffer);
      if (count === 0) return;
      yield buffer.subarray(0, count);
    }
  } finally {
    closeSync(fd);
  }
}

const UNFINISHED = {
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  BISECT_LOG: "bisect",
  sequencer: "cherry-pick or revert",
};

/**
 * Refuses an unfinished rebase, bisect, cherry-pick or revert: git keeps its steps in files that name commits and paths
 * of this machine. Errors: `unsupported`.
 */
function refuseUnfinished({ worktree, gitFolder }: Repository): void {
  for (const [name, what] of Object.entries(UNFINISHED)) {
    if (!existsSync(join(gitFolder, name))) continue;
    throw new ContinuoError(
      "unsupported",
      `cannot move the work tree ${worktree}: a ${what} is not finished`,
      {
        hint: "Finish or abort it first; `git status` says how.",
      },
    );
  }
}

function operationOf({ gitFolder }: Repository): Readonly<Record<string, string>> {
  const found = OPERATION_FILES.flatMap((name) => {
    const text = readSmallFile(join(gitFolder, name));
    return text === null ? [] : [[name, text] as const];
  });
  // A file with only a message is not an operation: git does not delete it after an abandoned merge.
  return found.some(([name]) => name.endsWith("_HEAD")) ? Object.fromEntries(found) : {};
}

interface InnerWorkTree {
  readonly submodule: Submodule;
  readonly read: ReadWorkTree;
}

async function readSubmodules(
  repository: Repository,
  options: RepositoryOptions,
  depth: number,
): Promise<readonly InnerWorkTree[]> {
  const listed = textOf(await repository.run(["ls-files", "--stage", "-z"])).split("\0");
  const links = listed.flatMap((line) => {
    const [, object, path] = /^160000 ([0-9a-f]+) 0\t(.+)$/su.exec(line) ?? [];
    return object === undefined || path === undefined ? [] : [{ object, path: safe(path) }];
  });
  const inner: InnerWorkTree[] = [];
  for (const { object, path } of links) {
    const folder = join(repository.worktree, path);
    if (!existsSync(join(folder, ".git"))) continue;
    if (depth >= MAX_SUBMODULE_DEPTH) throw tooLarge({ maxDepth: MAX_SUBMODULE_DEPTH });
    const own = await openRepository(folder, options);
    if (own === null) continue;
    const read = await readWorkTree(own, options, depth + 1);
    inner.push({ submodule: { path, isClean: isClean(read.state, object), state: read.state }, read });
  }
  return inner;
}

function isClean({ head, index, files, submodules }: WorkTreeState, object: string): boolean {
  return (
    head === object && index.length === 0 && files.length === 0 && submodules.every((one) => one.isClean)
  );
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function tooLarge(details: Readonly<Record<string, number>>): ContinuoError {
  return new ContinuoError("too_large", "the changes of the work tree are too large to be moved", {
    hint: "Commit them, add what is generated to .gitignore, or leave the work tree out with --no-work-tree.",
    details,
  });
}
