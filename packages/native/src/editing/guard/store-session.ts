/** Stores one session in the guard's folder: adds its present files to its stored copy. */

import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { SessionInfo } from "@continuo/core/model";
import { filesBelow, type Places, removeDurably, writeDurably } from "@continuo/files";
import type { AgentReader, AgentRetention, FoundSession, RowsPlan } from "../../native/kit/index.ts";
import { type Chain, sha256Of } from "./chain.ts";
import { dictionaryFor } from "./dictionaries.ts";
import { guardFolder } from "./folder.ts";
import {
  type GuardManifest,
  MAX_STATES,
  readManifest,
  type StoredFile,
  type StoredState,
  textOf,
  writeManifest,
} from "./manifest.ts";
import { readPieces, storeFile } from "./pieces.ts";

export interface StoreOptions {
  readonly reader: AgentReader;
  /** `null` for an agent that deletes only on a person's request. */
  readonly retention: AgentRetention | null;
  readonly places: Places;
  readonly chain: Chain;
  readonly now: Date;
  /** True if an agent waits for the end of this call; the files are then compressed quickly, without a dictionary. */
  readonly quick: boolean;
}

/**
 * Returns the new manifest. An agent may be writing: the bytes of one moment are stored, and later bytes with the next
 * run.
 *
 * Errors: `unreadable`, `unsupported`, `conflict` if a file disappeared or shrank in the meantime, those of the system.
 */
export async function storeSession(
  found: FoundSession,
  info: SessionInfo,
  { reader, retention, places, chain, now, quick }: StoreOptions,
): Promise<GuardManifest> {
  const plan = await reader.trashPlan(found, places);
  const before = readManifest(info, places);
  const newest = before?.states[0] ?? null;
  const known = new Map(newest?.files.map((file) => [file.from, file]));
  const files: StoredFile[] = [];
  let continues = true;
  const add = (path: string, { grew, ...stored }: StoreResult): void => {
    if (known.has(path) && !grew) continues = false;
    files.push(stored);
  };
  if (plan.type === "rows") {
    add(found.location, await storeRows(plan, found.location, { places, quick, known }));
  } else {
    const dictionary = quick ? null : dictionaryFor(info, found.location, places);
    const beside = retention?.beside(found, places) ?? [];
    for (const path of new Set(
      [found.location, ...plan.paths, ...beside].flatMap((one) => filesBelow(one)),
    )) {
      const stat = lstatSync(path);
      if (!stat.isFile()) continue;
      const isTalk = /\.jsonl?$/u.test(path);
      const stored = await storeFile(path, stat.size, {
        places,
        before: known.get(path) ?? null,
        dictionary: isTalk ? dictionary : null,
        quick,
      });
      add(path, { from: path, mtimeMs: stat.mtimeMs, inode: stat.ino, ...stored });
    }
  }
  const present = new Set(files.map(({ from }) => from));
  // Keeps stored files, such as results of tools, that the agent removed separately.
  for (const file of newest?.files ?? []) if (!present.has(file.from)) files.push(file);
  const state: StoredState = { storedAt: now.toISOString(), files };
  const older = before?.states.slice(continues ? 1 : 0) ?? [];
  const manifest: GuardManifest = { version: 1, info, states: [state, ...mostOf(older)] };
  const { agent, sessionId } = info;
  chain.append({
    at: state.storedAt,
    what: "stored",
    agent,
    sessionId,
    manifest: sha256Of(textOf(manifest)),
  });
  writeManifest(manifest, places);
  return manifest;
}

type StoreResult = StoredFile & { readonly grew: boolean };

interface RowsOptions extends Pick<StoreOptions, "places" | "quick"> {
  readonly known: ReadonlyMap<string, StoredFile>;
}

/** The guard's lock reserves the temporary file for this process. */
async function storeRows(
  plan: RowsPlan,
  from: string,
  { places, quick, known }: RowsOptions,
): Promise<StoreResult> {
  const before = known.get(from) ?? null;
  const { keepsMessages, rowsToSql } = await import("./session-rows.ts");
  const sql = await rowsToSql(plan);
  const path = join(guardFolder(places), "rows.sql");
  writeDurably(path, sql);
  try {
    const { size, mtimeMs, ino: inode } = lstatSync(path);
    const stored = await storeFile(path, size, { places, before, dictionary: null, quick });
    const older = before === null ? "" : Buffer.concat([...readPieces(before, places)]).toString("utf8");
    return { from, mtimeMs, inode, rows: true, ...stored, grew: keepsMessages(older, sql) };
  } finally {
    removeDurably(path);
  }
}

/**
 * An agent that rewrites its file at each turn causes one state for each turn; if there are too many, those with the
 * least content are removed.
 */
function mostOf(states: readonly StoredState[]): readonly StoredState[] {
  const kept = [...states];
  while (kept.length >= MAX_STATES) {
    const sizes = kept.map(({ files }) => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    kept.splice(sizes.lastIndexOf(Math.min(...sizes)), 1);
  }
  return kept;
}
