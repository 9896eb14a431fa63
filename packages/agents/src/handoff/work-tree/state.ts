/** The state of a work tree as data, and the checks of a state from another machine. */

import { createHash } from "node:crypto";
import { ContinuoError, present } from "@continuo/core/model";
import { z } from "zod";
import { MAX_SUBMODULE_DEPTH, MAX_TREE_BYTES, MAX_TREE_FILES } from "./limits.ts";

export interface WorkTreeState {
  readonly version: 1;
  /** The commit; `null` in a repository without one. */
  readonly head: string | null;
  /** `null` if no branch is checked out. */
  readonly branch: string | null;
  readonly objectFormat: "sha1" | "sha256";
  /** The paths whose index differs from the commit, sorted. */
  readonly index: readonly IndexPath[];
  /** The paths whose file differs from the index, or that git does not track, sorted. */
  readonly files: readonly TreeFile[];
  /** Files of git about a merge, a cherry-pick or a revert that is not finished, by their names. */
  readonly operation: Readonly<Record<string, string>>;
  /** Submodules that are checked out, sorted. */
  readonly submodules: readonly Submodule[];
}

export interface IndexPath {
  readonly path: string;
  /** Empty for a path that was removed; up to three stages for a conflict. */
  readonly entries: readonly IndexEntry[];
  /** Set for a path of `git add --intent-to-add`. */
  readonly intent?: true;
}

export interface IndexEntry {
  readonly mode: string;
  readonly object: string;
  readonly stage: number;
}

export interface TreeFile {
  readonly path: string;
  readonly kind: "file" | "executable" | "link" | "gone";
  readonly sizeBytes: number;
  /** The hash of the bytes, or of the target of a link. */
  readonly sha256: string;
}

export interface Submodule {
  readonly path: string;
  /** True if it is at the commit that the index names, without changes. */
  readonly isClean: boolean;
  readonly state: WorkTreeState;
}

/** Git keeps these next to its index. */
export const OPERATION_FILES = [
  "MERGE_HEAD",
  "MERGE_MSG",
  "MERGE_MODE",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
] as const;

const MAX_PATH_BYTES = 4_096;
const MAX_NAME_BYTES = 255;

export const treePath: z.ZodType<string> = z
  .string()
  .refine((path) => isSafeTreePath(path), "a path leads out of the work tree");
export const objectId: z.ZodType<string> = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u);
const indexPath = z.object({
  path: treePath,
  entries: z
    .array(
      z.object({
        mode: z.enum(["100644", "100755", "120000", "160000"]),
        object: objectId,
        stage: z.int().min(0).max(3),
      }),
    )
    .max(3),
  intent: z.literal(true).optional(),
});
export const treeFile: z.ZodType<TreeFile> = z.object({
  path: treePath,
  kind: z.enum(["file", "executable", "link", "gone"]),
  sizeBytes: z.int().nonnegative().max(MAX_TREE_BYTES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
});
export const branchName: z.ZodType<string> = z
  .string()
  .max(1_000)
  .regex(/^[^-\s~^:?*[\\][^\s~^:?*[\\]*$/u);
const shape = z.object({
  version: z.literal(1),
  head: objectId.nullable(),
  branch: branchName.nullable(),
  objectFormat: z.enum(["sha1", "sha256"]),
  index: z.array(indexPath).max(MAX_TREE_FILES),
  files: z.array(treeFile).max(MAX_TREE_FILES),
  operation: z.partialRecord(z.enum(OPERATION_FILES), z.string().max(1_048_576)),
  submodules: z.array(z.object({ path: treePath, isClean: z.boolean(), state: z.unknown() })).max(1_000),
});

/**
 * Errors: `corrupt` for data that is not a state, or has a path outside of its folder; `unsupported` for a newer
 * version.
 */
export function parseState(value: unknown, depth: number = 0): WorkTreeState {
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (typeof version === "number" && version > 1) {
    throw new ContinuoError(
      "unsupported",
      `the work tree was packed in version ${version}, and this is version 1`,
      {
        hint: "Install a newer version of Continuo.",
      },
    );
  }
  if (depth > MAX_SUBMODULE_DEPTH) throw noState("it has too many submodules in submodules");
  const { success, data, error } = shape.safeParse(value);
  if (!success) throw noState(z.prettifyError(error).split("\n")[0] ?? "");
  const paths = data.files.filter(({ kind }) => kind !== "gone").map(({ path }) => path);
  const all = new Set(data.files.map(({ path }) => path));
  if (all.size !== data.files.length) throw noState("two files have one path");
  const present = new Set(paths);
  if (paths.some((path) => foldersOf(path).some((folder) => present.has(folder)))) {
    throw noState("a file lies below another file");
  }
  if (paths.length > 0 && totalOf(data.files) > MAX_TREE_BYTES) throw noState("its files are too large");
  const submodules = data.submodules.map(({ path, isClean, state }) => ({
    path,
    isClean,
    state: parseState(state, depth + 1),
  }));
  return { ...data, index: data.index.map(withoutUndefined), operation: { ...data.operation }, submodules };
}

function withoutUndefined({ path, entries, intent }: z.infer<typeof indexPath>): IndexPath {
  return { path, entries, ...present({ intent }) };
}

/** Returns a hash that is the same for work trees in which `git status` and `git diff` show the same. */
export function fingerprintOf(state: WorkTreeState): string {
  return createHash("sha256")
    .update(JSON.stringify(comparable(state)))
    .digest("hex");
}

/** Leaves out submodules without changes, because they need not be checked out, and the branches of the others. */
function comparable({ submodules, operation, ...state }: WorkTreeState): unknown {
  const changed = submodules.filter(({ isClean }) => !isClean);
  return {
    ...state,
    operation: Object.entries(operation).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    submodules: changed.map(({ path, state: own }) => ({
      path,
      state: comparable({ ...own, branch: null }),
    })),
  };
}

export function totalOf(files: readonly TreeFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** True for a relative path that git would accept: it does not lead out of the work tree or into a `.git` folder. */
export function isSafeTreePath(path: string, platform: NodeJS.Platform = process.platform): boolean {
  if (path === "" || Buffer.byteLength(path) > MAX_PATH_BYTES || !path.isWellFormed()) return false;
  return path.split("/").every((name) => {
    if (["", ".", ".."].includes(name) || name.includes("\0")) return false;
    if (Buffer.byteLength(name) > MAX_NAME_BYTES || isGitFolder(name)) return false;
    return platform !== "win32" || !/[\\:]/u.test(name);
  });
}

/**
 * Some file systems treat such a name as `.git`: they ignore case, characters without width, dots and spaces at the
 * end, and the text after a colon, or have the short name `git~1`.
 */
function isGitFolder(name: string): boolean {
  const plain = name
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu, "")
    .replace(/[. ]+$/u, "")
    .split(":")[0]
    ?.toLowerCase();
  return plain === ".git" || plain === "git~1";
}

export function foldersOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
}

function noState(why: string): ContinuoError {
  return new ContinuoError("corrupt", `the state of the work tree cannot be used: ${why}`, {
    hint: "Pack it again with `continuo move ID --to FILE`; nothing was changed.",
  });
}
