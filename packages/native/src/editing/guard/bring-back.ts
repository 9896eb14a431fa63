/**
 * Puts a session of the guard back into its agent's folder. This uses the trash: the session is put there as if it had
 * been deleted, and is then restored, with the same protection against a kill, a full disk or a file in its place.
 */

import { ContinuoError } from "@continuo/core/model";
import { fileOfLocation, type Places } from "@continuo/files";
import { formatOf } from "../../native/index.ts";
import type { RestoredFile } from "../../native/kit/index.ts";
import { layInTrash, layRowsInTrash } from "../trash/index.ts";
import { keyOf, type SessionKey } from "./folder.ts";
import { readLedger } from "./ledger.ts";
import { type GuardManifest, readManifest, type StoredFile } from "./manifest.ts";
import { keysNotShown } from "./only-copies.ts";
import { readPieces } from "./pieces.ts";

/**
 * Finds the copy of a session by its id or the beginning of its id, with or without `agent:`. Copies of sessions that
 * the person deleted are not found.
 * Errors: `not_found`, `ambiguous`, `corrupt` for a manifest that cannot be read.
 */
export function findCopy(id: string, places: Places): GuardManifest {
  const wanted = id.toLowerCase();
  const hidden = keysNotShown(places);
  const all = [...readLedger(places).values()].filter((one) => !hidden.has(keyOf(one)));
  const exact = all.filter((one) =>
    [one.sessionId, keyOf(one)].some((name) => name.toLowerCase() === wanted),
  );
  const near = all.filter((one) => namesOf(one).some((name) => name.startsWith(wanted)));
  const matches = id === "" ? [] : exact.length > 0 ? exact : near;
  const [only] = matches;
  if (only === undefined) {
    throw new ContinuoError("not_found", `the guard has no copy of ${JSON.stringify(id)}`, {
      hint: "Run `continuo guard list` to see the copies of sessions that are gone.",
    });
  }
  if (matches.length > 1) {
    throw new ContinuoError(
      "ambiguous",
      `${JSON.stringify(id)} names ${matches.length} copies of the guard`,
      {
        hint: "Give more of the id, or AGENT:ID.",
        details: {
          matches: matches.map(({ agent, sessionId, location }) => ({ agent, sessionId, location })),
        },
      },
    );
  }
  const manifest = readManifest(only, places);
  if (manifest !== null) return manifest;
  throw new ContinuoError("corrupt", `the manifest of ${keyOf(only)} cannot be read`, {
    hint: "Restore the folder of the guard from a backup; its pieces stay where they are.",
  });
}

function namesOf(one: SessionKey): readonly string[] {
  return [one.sessionId.toLowerCase(), keyOf(one).toLowerCase()];
}

export interface TrashedCopy {
  readonly trashId: string;
  /** Files of the copy that are not restored, because with them the agent would delete the session. */
  readonly leftOut: readonly string[];
}

/**
 * Puts a state of a copy into the trash, changed so that the agent's next sweep does not delete it.
 * @param state 0 for the newest
 * Errors: `not_found` for a state that is not there, `corrupt`, `unwritable`.
 */
export async function layCopyInTrash(
  { info, states }: GuardManifest,
  { places, now, state = 0 }: { readonly places: Places; readonly now: Date; readonly state?: number },
): Promise<TrashedCopy> {
  const chosen = states[state];
  if (chosen === undefined)
    throw new ContinuoError("not_found", `the guard has ${states.length} states of ${keyOf(info)}`);
  const rows = chosen.files.find((file) => file.rows);
  if (rows !== undefined) {
    const sql = Buffer.concat([...readPieces(rows, places)]).toString("utf8");
    const { sqlToRows } = await import("./session-rows.ts");
    const laid = await sqlToRows(sql, fileOfLocation(info.location));
    return { trashId: layRowsInTrash(info, laid, { places, now }), leftOut: [] };
  }
  const retention = await (await formatOf(info.agent)).retention?.();
  const leftOut: string[] = [];
  const files: RestoredFile[] = [];
  for (const stored of chosen.files) {
    const file = toRestored(stored, info, places);
    const renewed = retention === undefined ? file : retention.renewed(file, now.getTime());
    if (renewed === null) leftOut.push(stored.from);
    else files.push(renewed);
  }
  const main = files.find(({ isMain }) => isMain);
  const location = main?.path ?? info.location;
  const trashId = layInTrash({ ...info, location }, files, { places, now });
  return { trashId, leftOut };
}

function toRestored(stored: StoredFile, info: GuardManifest["info"], places: Places): RestoredFile {
  const isMain = stored.from === info.location;
  return { sessionId: info.sessionId, path: stored.from, pieces: () => readPieces(stored, places), isMain };
}
