/** Checks the guard's folder: each piece by its hash, each manifest by the log. */

import { isFailure } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { readChain } from "./chain.ts";
import { damagedDictionaries } from "./dictionaries.ts";
import { keyOf } from "./folder.ts";
import { manifestsIn } from "./ledger.ts";
import { piecesOf } from "./manifest.ts";
import { sessionsToForget } from "./only-copies.ts";
import { readPiece } from "./pieces.ts";

export interface GuardVerification {
  readonly sessions: number;
  readonly pieces: number;
  /** Sentences without a full stop; empty if nothing differs from what was stored. */
  readonly problems: readonly string[];
}

/** Reads every byte of the folder, and writes nothing. */
export async function verifyGuard(places: Places): Promise<GuardVerification> {
  const { manifests, broken } = readChain(places);
  const problems = broken.map((line) => `line ${line} of the guard's log does not follow the line before it`);
  problems.push(...damagedDictionaries(places));
  const good = new Set<string>();
  const expected = new Map([...manifests].filter(([, hashes]) => hashes.length > 0));
  for (const { key } of sessionsToForget(places).map((one) => ({ key: keyOf(one) }))) expected.delete(key);
  let sessions = 0;
  for (const { path, manifest, sha256 } of manifestsIn(places)) {
    sessions += 1;
    if (manifest === null) {
      problems.push(`${path} is damaged`);
      continue;
    }
    const key = keyOf(manifest.info);
    const hashes = manifests.get(key);
    // The removal of a copy is first recorded in the log: after a kill, the next run removes the copy.
    const isLeaving = hashes?.length === 0;
    if (!isLeaving && hashes?.includes(sha256) !== true)
      problems.push(`${path} is not what the guard's log says of ${key}`);
    expected.delete(key);
    for (const piece of piecesOf(manifest)) {
      if (good.has(piece.sha256)) continue;
      try {
        readPiece(piece, places);
        good.add(piece.sha256);
      } catch (error) {
        if (!isFailure(error)) throw error;
        problems.push(`${key}: ${error.message}`);
      }
      await new Promise(setImmediate);
    }
  }
  for (const key of expected.keys()) problems.push(`the manifest of ${key} is gone`);
  return { sessions, pieces: good.size, problems };
}
