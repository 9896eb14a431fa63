/** The files of a session in their present state: its own files, or a database that has only its rows. */

import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { present } from "@continuo/core/model";
import { filesBelow, openScratch, type Places, renameDurably, statFile } from "@continuo/files";
import type { Lookup } from "@continuo/native";
import type { RowsPlan } from "@continuo/native/kit";
import { copyRows } from "../bundle/index.ts";
import { hashOfFile, type MirroredFile, pathThere } from "./files.ts";
import { MIN_COPY_MS, SEARCH_MS } from "./limits.ts";

export interface MirrorSource extends Disposable {
  /**
   * Returns the existing files, beginning with the one by which the session is opened. Errors: `unsupported` for the
   * name of a file.
   */
  current(): Promise<readonly MirroredFile[]>;
}

/** @param signal ends the search for the earlier files in which the session begins */
export async function openSource(
  lookup: Lookup,
  places: Places,
  signal?: AbortSignal,
): Promise<MirrorSource> {
  const { type } = await lookup.reader.trashPlan(lookup.found, places);
  return type === "rows" ? rowsSource(lookup, places) : await filesSource(lookup, places, signal);
}

async function filesSource(lookup: Lookup, places: Places, signal?: AbortSignal): Promise<MirrorSource> {
  const { reader, found } = lookup;
  const borrowed = await borrowedFiles(lookup, places, signal);
  let [roots, searchedMs]: [readonly string[], number] = [[], Number.NEGATIVE_INFINITY];
  return {
    async current() {
      if (performance.now() - searchedMs > SEARCH_MS) {
        const plan = await reader.trashPlan(found, places);
        const paths = plan.type === "files" ? plan.paths : [];
        roots = [...new Set([found.location, ...found.files.map(({ path }) => path), ...paths])];
        searchedMs = performance.now();
      }
      return regularFiles([...roots, ...borrowed]).map((path) => ({ path, there: pathThere(path) }));
    },
    [Symbol.dispose]: () => undefined,
  };
}

/** Returns the files of other sessions that contain the beginning of this one. */
async function borrowedFiles(
  { reader, found }: Lookup,
  places: Places,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (reader.fileIdOf === undefined) return [];
  using opened = await reader.open(found, places, { newestBytes: FEW_BYTES, ...present({ signal }) });
  return opened.filesBefore?.there.map(({ path }) => path) ?? [];
}

/**
 * A session is opened with only this many of its newest bytes: its beginning, which names earlier files, is always
 * read.
 */
const FEW_BYTES = 64 * 1024;

/** Links are left out: they may lead to anything. */
function regularFiles(roots: readonly string[]): readonly string[] {
  const all = new Set(roots.flatMap(filesBelow));
  return [...all].filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

/** The database also has other sessions, so a copy has only the rows of this session and of those that it started. */
function rowsSource({ reader, found }: Lookup, places: Places): MirrorSource {
  const scratch = openScratch();
  const [copy, next] = [join(scratch.path, "rows.db"), join(scratch.path, "next.db")];
  let [copied, hash, nextMs] = ["", "", 0];
  let there = "";
  const copyOnce = async (plan: RowsPlan): Promise<void> => {
    there = pathThere(plan.database);
    rmSync(next, { force: true });
    await copyRows(plan, next);
    const fresh = await hashOfFile(next);
    // Most writes to the database belong to other sessions.
    if (fresh === hash) return;
    renameDurably(next, copy);
    hash = fresh;
  };
  return {
    async current() {
      const state = stateOf(found.files.map(({ path }) => path));
      if (state !== copied && performance.now() >= nextMs) {
        const begunMs = performance.now();
        const plan = await reader.trashPlan(found, places);
        if (plan.type === "rows") await copyOnce(plan);
        copied = state;
        const tookMs = performance.now() - begunMs;
        nextMs = performance.now() + Math.max(MIN_COPY_MS, tookMs * PAUSE);
      }
      return there === "" ? [] : [{ path: copy, there }];
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

/** After a copy, the pause is this many times its duration, so that a long session is not copied all the time. */
const PAUSE = 10;

/** Includes the write-ahead log, because it grows before the database does. */
function stateOf(databases: readonly string[]): string {
  return JSON.stringify(databases.flatMap((path) => [statFile(path), statFile(`${path}-wal`)]));
}
