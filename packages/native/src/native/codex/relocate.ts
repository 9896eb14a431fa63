/**
 * The places in Codex's files that hold the path of a project (0.171.0): the `cwd` of the header and of each turn, in
 * every file of a thread, compressed or not, and the `cwd` of the thread's row in `state_N.sqlite`. A fork records the
 * byte offset in another file at which the fork begins; this number is adapted if the bytes before it change. Texts
 * about the folder that the model received do not change.
 */

import { basename } from "node:path";
import { isJson, type Json, type Places, parseJson, remoteName, textField } from "@continuo/files";
import { isCompressed } from "@continuo/files/records";
import {
  type FoundSession,
  movedPath,
  type PathKeys,
  type RelocatedFile,
  type RelocatedRows,
  type Relocation,
  type RelocationPart,
  type RepositoryMarks,
  withMovedPaths,
} from "../kit/index.ts";
import { find } from "./find.ts";
import { indexRowsIn } from "./index-rows.ts";
import { codexHome, parseRolloutName } from "./places.ts";
import { changedInside, contentOf } from "./rollout-bytes.ts";
import { skim } from "./skim.ts";

const CWD: readonly PathKeys[] = [["payload", "cwd"]];

export async function relocate(relocation: Relocation, places: Places): Promise<RelocationPart> {
  const all = await Array.fromAsync(find(places, { subagents: "include" }));
  const sessions: FoundSession[] = [];
  const leftOut: FoundSession[] = [];
  const changed: string[] = [];
  const moved = new Map<string, string>();
  for (const found of all) {
    const { cwd } = await skim(found, { part: "ends" });
    const to = cwd === null ? null : movedPath(cwd, relocation);
    if (to === null) continue;
    if (found.files.some(({ path }) => contentOf(path) === null)) {
      leftOut.push(found);
      continue;
    }
    // Threads that another thread started are not listed; they move with that thread.
    if (found.parentId === undefined) sessions.push(found);
    changed.push(...found.files.map(({ path }) => path));
    moved.set(found.sessionId, to);
  }
  const paths = new Map(changed.map((path) => [parseRolloutName(path).fileId ?? path, path]));
  // A fork may work in another folder although it begins in a file of the project.
  const forks = all
    .filter(({ sessionId }) => !moved.has(sessionId))
    .flatMap(({ files }) => files.map(({ path }) => path))
    .filter((path) => paths.has(baseOf(headOf(path))?.file ?? ""));
  const files = [...changed, ...forks].map((path): RelocatedFile => {
    // This is computed now, because the earlier file will be different after its change.
    const base = movedBase(path, paths, relocation);
    const change = (bytes: Buffer): Buffer => withBase(withMovedPaths(bytes, CWD, relocation), base);
    return { from: path, to: path, rewrite: isCompressed(path) ? changedInside(change) : change };
  });
  return { sessions, files, rows: rowsOf(moved, places), leftOut };
}

/** The header of its file names the remote, and the commit. */
export async function repositoryOf({ location }: FoundSession): Promise<RepositoryMarks | null> {
  const head = headOf(location);
  const git = head !== null && isJson(head.payload) && isJson(head.payload.git) ? head.payload.git : {};
  const remote = remoteName(textField(git, "repository_url") ?? "");
  const commit = textField(git, "commit_hash");
  return remote === null && commit === null ? null : { remote, projectId: null, commit };
}

/** One change of rows for each new path, because threads in folders below the project have other paths. */
function rowsOf(moved: ReadonlyMap<string, string>, places: Places): readonly RelocatedRows[] {
  const states = indexRowsIn(codexHome(places), new Set()).filter(({ database }) =>
    basename(database).startsWith("state_"),
  );
  return states.flatMap(({ database }) =>
    [...Map.groupBy(moved, ([, cwd]) => cwd)].map(([cwd, threads]) => ({
      database,
      tables: [{ name: "threads", column: "id", values: threads.map(([id]) => id) }],
      set: { cwd },
    })),
  );
}

interface Base {
  readonly file: string;
  readonly offset: number;
}

function headOf(path: string): Json | null {
  const bytes = contentOf(path) ?? Buffer.alloc(0);
  const end = bytes.indexOf("\n");
  return recordIn(bytes.toString("utf8", 0, end < 0 ? bytes.length : end));
}

function baseOf(head: Json | null): Base | null {
  const payload = head !== null && isJson(head.payload) ? head.payload : {};
  const base = isJson(payload.history_base) ? payload.history_base : {};
  const file = textField(base, "thread_id");
  const offset = base.end_byte_offset;
  return file !== null && typeof offset === "number" ? { file: file.toLowerCase(), offset } : null;
}

interface MovedBase {
  readonly from: number;
  readonly to: number;
}

/** `null` for a file that does not begin in another changed file. */
function movedBase(
  path: string,
  paths: ReadonlyMap<string, string>,
  relocation: Relocation,
): MovedBase | null {
  const base = baseOf(headOf(path));
  const other = base === null ? undefined : paths.get(base.file);
  if (base === null || other === undefined || other === path) return null;
  const before = (contentOf(other) ?? Buffer.alloc(0)).subarray(0, base.offset);
  const grown = withMovedPaths(before, CWD, relocation).length - before.length;
  return { from: base.offset, to: base.offset + grown };
}

function withBase(bytes: Buffer, base: MovedBase | null): Buffer {
  if (base === null) return bytes;
  const at = bytes.indexOf("\n");
  const end = at < 0 ? bytes.length : at;
  const head = bytes.toString("utf8", 0, end);
  const key = new RegExp(`("end_byte_offset"\\s*:\\s*)${base.from}\\b`, "u");
  const moved = head.replace(key, (_all, before: string) => `${before}${base.to}`);
  return Buffer.concat([Buffer.from(moved), bytes.subarray(end)]);
}

function recordIn(text: string): Json | null {
  try {
    const value = parseJson(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}
