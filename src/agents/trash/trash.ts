/**
 * Sessions moved to the trash and back.
 *
 * A trashed session is a folder with a `manifest.json` that is on disk before anything moves, so that a
 * deletion that was cut off can be restored like any other.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError, type SessionInfo } from "../../model/index.ts";
import {
  continuoHome,
  type FilesPlan,
  type FoundSession,
  type Places,
  type TrashPlan,
} from "../reader/index.ts";
import { writeDurably } from "./durable.ts";
import { hashOf, type KeptFile, listKeptFiles, moveAside, moveBack } from "./files.ts";
import { putRows, takeRows } from "./rows.ts";

export interface TrashedSession {
  /** Of the trash folder; `restoreFromTrash` takes it. */
  readonly trashId: string;
  readonly trashedAt: string;
  readonly info: Pick<
    SessionInfo,
    "agent" | "sessionId" | "title" | "cwd" | "updatedAt" | "sizeBytes" | "location"
  >;
}

interface Manifest extends TrashedSession {
  readonly version: 1;
  readonly plan: TrashPlan;
  readonly files: readonly KeptFile[];
  /** Of what took the place of the one file, or `rows`: it gives way when the old state comes back. */
  readonly replacement?: string;
}

export interface TrashOptions {
  readonly places: Places;
  readonly now: Date;
  /** What takes the place of what goes: the bytes of the one file, or other rows with the same ids. */
  readonly replacement?: Uint8Array | "rows";
}

/** `CONTINUO_HOME/trash`; `CONTINUO_HOME` is `~/.continuo` unless the environment says otherwise. */
export function trashFolder(places: Places): string {
  return join(continuoHome(places), "trash");
}

/**
 * Errors: `session_live`, `has_forks`, `unreadable`, `conflict`, `busy`, `unsupported`, `unwritable`; nothing
 * has moved then.
 */
export async function moveToTrash(
  found: FoundSession,
  info: SessionInfo,
  plan: TrashPlan,
  { places, now, replacement }: TrashOptions,
): Promise<TrashedSession> {
  refuseWhatIsInUse(found, plan);
  const trashedAt = now.toISOString();
  const trashId = `${trashedAt.replace(/[:.]/gu, "-")}-${info.agent}-${info.sessionId}`.replace(
    /[^\w.-]/gu,
    "_",
  );
  const { agent, sessionId, title, cwd, updatedAt, sizeBytes, location } = info;
  const trashed = {
    trashId,
    trashedAt,
    info: { agent, sessionId, title, cwd, updatedAt, sizeBytes, location },
  };
  const files = plan.type === "files" ? listFiles(plan) : [];
  const mark = replacement === undefined || replacement === "rows" ? replacement : hashOf(replacement);
  const manifest: Manifest = {
    ...{ version: 1, ...trashed, plan, files },
    ...(mark === undefined ? {} : { replacement: mark }),
  };
  const folder = makeFolder(places, trashId);
  try {
    writeDurably(join(folder, "manifest.json"), JSON.stringify(manifest, null, 2));
    if (plan.type === "files") moveAside(files, plan, folder);
    else await takeRows(plan, folder);
  } catch (error) {
    // Nothing of the session is in it: what had moved is back.
    rmSync(folder, { recursive: true });
    throw error;
  }
  return trashed;
}

function listFiles(plan: FilesPlan): KeptFile[] {
  try {
    const files = listKeptFiles(plan);
    if (files.length > 0) return files;
  } catch (cause) {
    throw new ContinuoError("unreadable", `cannot read the session: ${(cause as Error).message}`, { cause });
  }
  throw new ContinuoError("not_found", `${plan.paths.join(", ")} is gone`);
}

function makeFolder(places: Places, trashId: string): string {
  const folder = join(trashFolder(places), trashId);
  try {
    mkdirSync(trashFolder(places), { recursive: true, mode: 0o700 });
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  } catch (cause) {
    const isTaken = (cause as NodeJS.ErrnoException).code === "EEXIST";
    const message = isTaken ? "somebody else deletes this session right now" : (cause as Error).message;
    throw new ContinuoError(isTaken ? "conflict" : "unwritable", message, { cause });
  }
}

/** Newest first. A folder without a readable manifest is no trashed session. */
export function listTrash(places: Places): TrashedSession[] {
  return readManifests(places).map(({ trashId, trashedAt, info }) => ({ trashId, trashedAt, info }));
}

/**
 * Puts a session back where it was, byte for byte.
 * @param id a trash id, or a session id or the beginning of one, with or without `agent:`; the newest of several deletions
 * Errors: `not_found`, `ambiguous`, `conflict`.
 */
export async function restoreFromTrash(id: string, places: Places): Promise<TrashedSession> {
  const manifest = findManifest(id, places);
  const folder = join(trashFolder(places), manifest.trashId);
  const { plan, replacement } = manifest;
  if (plan.type === "files") moveBack(manifest.files, { ...plan, replacement }, folder);
  else await putRows(plan, folder, replacement === undefined ? "fresh" : "replaced");
  rmSync(folder, { recursive: true });
  const { trashId, trashedAt, info } = manifest;
  return { trashId, trashedAt, info };
}

/** Deletes for good what was trashed before a time, or all of it, and returns it. */
export function emptyTrash(places: Places, trashedBefore?: Date): TrashedSession[] {
  const before = trashedBefore?.toISOString();
  const old = listTrash(places).filter(({ trashedAt }) => before === undefined || trashedAt < before);
  for (const { trashId } of old) rmSync(join(trashFolder(places), trashId), { recursive: true });
  return old;
}

function refuseWhatIsInUse(found: FoundSession, plan: TrashPlan): void {
  const name = `${found.agent}:${found.sessionId}`;
  if (found.live === true) {
    throw new ContinuoError("session_live", `${name} is open in its agent`, {
      hint: "Close it there first.",
    });
  }
  if (plan.forks.length > 0) {
    const readers = plan.forks.length === 1 ? "a fork reads" : `${plan.forks.length} forks read`;
    throw new ContinuoError("has_forks", `${readers} the files of ${name}`, {
      hint: `Delete them first, or with it: ${plan.forks.join(" ")}`,
      details: { forks: plan.forks },
    });
  }
}

function findManifest(id: string, places: Places): Manifest {
  const matches = readManifests(places).filter(({ trashId, info }) => {
    const ids = [trashId, info.sessionId, `${info.agent}:${info.sessionId}`];
    return id !== "" && ids.some((one) => one.toLowerCase().startsWith(id.toLowerCase()));
  });
  const [newest] = matches;
  if (newest === undefined) {
    throw new ContinuoError("not_found", `nothing in the trash is called ${JSON.stringify(id)}`, {
      hint: "`continuo session trash` lists what is there.",
    });
  }
  const names = new Set(matches.map(({ info }) => `${info.agent}:${info.sessionId}`));
  if (names.size > 1) {
    throw new ContinuoError("ambiguous", `${JSON.stringify(id)} names ${names.size} sessions in the trash`, {
      hint: "Give more of the id, or `agent:id`.",
      details: { matches: matches.map(({ trashId, info }) => ({ trashId, ...info })) },
    });
  }
  return newest;
}

function readManifests(places: Places): Manifest[] {
  const base = trashFolder(places);
  if (!existsSync(base)) return [];
  const manifests: Manifest[] = [];
  for (const name of readdirSync(base)) {
    const path = join(base, name, "manifest.json");
    if (existsSync(path)) manifests.push(readManifest(path));
  }
  return manifests.sort((a, b) => (a.trashedAt < b.trashedAt ? 1 : -1));
}

function readManifest(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ContinuoError("corrupt", `cannot read ${path}: ${(cause as Error).message}`, {
      hint: "Move its folder away; the files of the session are in it.",
      cause,
    });
  }
}
