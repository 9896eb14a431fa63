/** One session into the guard's folder: its present files, added to its stored copy. */

import { lstatSync } from "node:fs";
import type { SessionInfo } from "@continuo/core/model";
import { filesBelow, type Places } from "@continuo/files";
import type { AgentReader, AgentRetention, FoundSession } from "../../native/kit/index.ts";
import { type Chain, sha256Of } from "./chain.ts";
import { dictionaryFor } from "./dictionaries.ts";
import {
  type GuardManifest,
  MAX_STATES,
  readManifest,
  type StoredFile,
  type StoredState,
  textOf,
  writeManifest,
} from "./manifest.ts";
import { storeFile } from "./pieces.ts";

export interface StoreOptions {
  readonly reader: AgentReader;
  readonly retention: AgentRetention;
  readonly places: Places;
  readonly chain: Chain;
  readonly now: Date;
  /** An agent waits. */
  readonly quick: boolean;
}

/**
 * Gives the new manifest. An agent may be writing: the bytes of one moment are stored, and the rest with the next run.
 *
 * Errors: `unreadable`, `unsupported`, `conflict` if a file went or shrank meanwhile, those of the system.
 */
export async function storeSession(
  found: FoundSession,
  info: SessionInfo,
  { reader, retention, places, chain, now, quick }: StoreOptions,
): Promise<GuardManifest> {
  const plan = await reader.trashPlan(found, places);
  const paths =
    plan.type === "files" ? [found.location, ...plan.paths, ...retention.beside(found, places)] : [];
  const before = readManifest(info, places);
  const newest = before?.states[0] ?? null;
  const known = new Map(newest?.files.map((file) => [file.from, file]));
  const files: StoredFile[] = [];
  // A session without files of its own has nothing to store.
  const dictionary = plan.type === "files" && !quick ? dictionaryFor(info, found.location, places) : null;
  let continues = true;
  for (const path of new Set(paths.flatMap((path) => filesBelow(path)))) {
    const stat = lstatSync(path);
    if (!stat.isFile()) continue;
    const old = known.get(path) ?? null;
    const isTalk = /\.jsonl?$/u.test(path);
    const { grew, ...stored } = await storeFile(path, stat.size, {
      places,
      before: old,
      dictionary: isTalk ? dictionary : null,
      quick,
    });
    if (old !== null && !grew) continues = false;
    files.push({ from: path, mtimeMs: stat.mtimeMs, inode: stat.ino, ...stored });
  }
  const present = new Set(files.map(({ from }) => from));
  // Results of tools and the like that the agent removed by themselves.
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

/** An agent that rewrites its file at each turn makes a state of each; of too many, those that hold the least go. */
function mostOf(states: readonly StoredState[]): readonly StoredState[] {
  const kept = [...states];
  while (kept.length >= MAX_STATES) {
    const sizes = kept.map(({ files }) => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    kept.splice(sizes.lastIndexOf(Math.min(...sizes)), 1);
  }
  return kept;
}
