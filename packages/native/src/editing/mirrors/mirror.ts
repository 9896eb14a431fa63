/**
 * The folder of one mirror: the session's files under the paths that they have on their machine, and a file with facts
 * about the mirror.
 */

import { rmSync } from "node:fs";
import { join, sep } from "node:path";
import { type AgentName, ContinuoError, isAgentName } from "@continuo/core/model";
import {
  continuoHome,
  idInPath,
  isJson,
  type Json,
  listNames,
  lockSession,
  type Places,
  readJsonFile,
  type WriterLock,
  writeDurably,
} from "@continuo/files";

export interface MirrorKey {
  readonly agent: AgentName;
  readonly sessionId: string;
}

export interface Mirror extends MirrorKey {
  /** The path of the session's main file, relative to the root of its machine. */
  readonly main: string;
  /** The name of its machine, the home there, and the session's folder. */
  readonly machine: string;
  readonly home: string;
  readonly folder: string | null;
  readonly takenOver: MirrorTakeOver | null;
  /** The newest state of its work tree; `null` if there is none. */
  readonly workTree: MirroredTree | null;
}

export interface MirroredTree {
  /** The fingerprint of the state, which is the name of its folder. */
  readonly sha256: string;
  /** The folder of the work tree on the other machine. */
  readonly folder: string;
  /** The time at which it was read there, ISO 8601. */
  readonly at: string;
}

export interface MirrorTakeOver {
  /** ISO 8601. */
  readonly at: string;
  /** The session in which it continues here; `null` until it is placed. */
  readonly session: (MirrorKey & { readonly cwd: string }) | null;
  /** The placement that has begun, for the next attempt after a kill; `null` for none. */
  readonly begun: { readonly cwd: string; readonly sinceMs: number } | null;
}

export function mirrorKey({ agent, sessionId }: MirrorKey): string {
  return `${agent}:${sessionId}`;
}

/**
 * The path of a mirrored file on this machine.
 *
 * @param path relative to the root of its machine; the caller must have checked that it does not lead elsewhere
 */
export function mirrorFile(key: MirrorKey, path: string, places: Places): string {
  return join(filesOf(key, places), path);
}

/**
 * The folder of a packed work tree.
 *
 * @param sha256 its fingerprint; the caller must have checked its form
 */
export function mirrorTree(key: MirrorKey, sha256: string, places: Places): string {
  return join(treesOf(key, places), sha256);
}

export function removeOtherTrees(key: MirrorKey, sha256: string, places: Places): void {
  const folder = treesOf(key, places);
  for (const name of listNames(folder))
    if (name !== sha256) rmSync(join(folder, name), { recursive: true, force: true });
}

export interface OpenedMirror {
  /** The home of the other machine, as far as it is mirrored. */
  readonly places: Places;
  readonly location: string;
}

export function openMirror(mirror: Mirror, places: Places): OpenedMirror {
  const files = filesOf(mirror, places);
  const home = join(files, mirror.home);
  return {
    // The other machine chooses the name of its home, which must not lead to files of this machine.
    places: { home: home.startsWith(files + sep) ? home : files, env: {} },
    location: mirrorFile(mirror, mirror.main, places),
  };
}

/** `null` if there is none. */
export function readMirror(key: MirrorKey, places: Places): Mirror | null {
  return toMirror(readJsonFile(notePath(key, places)));
}

/** Errors: those of the system. */
export function writeMirror(mirror: Mirror, places: Places): void {
  writeDurably(notePath(mirror, places), JSON.stringify({ version: 1, ...mirror }));
}

/** Returns all mirrors, including those that were taken over. */
export function listMirrors(places: Places): readonly Mirror[] {
  const folder = mirrorsFolder(places);
  return listNames(folder).flatMap((agent) =>
    listNames(join(folder, agent)).flatMap(
      (name) => toMirror(readJsonFile(join(folder, agent, name, NOTE))) ?? [],
    ),
  );
}

/**
 * Finds the mirror with this id, or whose id begins with it, with or without `agent:`. Errors: `not_found`,
 * `ambiguous`.
 */
export function findMirror(id: string, places: Places): Mirror {
  const wanted = id.toLowerCase();
  const all = listMirrors(places).map((mirror) => ({ mirror, names: namesOf(mirror) }));
  const exact = all.filter(({ names }) => names.includes(wanted));
  const near = all.filter(({ names }) => names.some((name) => name.startsWith(wanted)));
  const matches = id === "" ? [] : exact.length > 0 ? exact : near;
  const [only] = matches;
  if (only === undefined) {
    throw new ContinuoError("not_found", `no machine mirrors a session ${JSON.stringify(id)} to this one`, {
      hint: "Run `continuo list` to see the sessions that are mirrored here.",
    });
  }
  if (matches.length === 1) return only.mirror;
  throw new ContinuoError("ambiguous", `${JSON.stringify(id)} names ${matches.length} mirrors`, {
    hint: "Give more of the id, or AGENT:ID.",
  });
}

/** While the lock is held, no other process writes to the mirror or takes it over. Errors: `busy`, `unwritable`. */
export function lockMirror(key: MirrorKey, places: Places, signal?: AbortSignal): Promise<WriterLock> {
  return lockSession("/mirrors", mirrorKey(key), { places, waitMs: LOCK_MS, signal });
}

/**
 * While the lock is held, no other process takes the mirror over; its own machine may still connect. Errors: `busy`,
 * `unwritable`.
 */
export function lockTakeOver(key: MirrorKey, places: Places, signal?: AbortSignal): Promise<WriterLock> {
  return lockSession("/mirrors", `${mirrorKey(key)} taken over`, { places, waitMs: LOCK_MS, signal });
}

const LOCK_MS = 10_000;
const NOTE = "mirror.json";

function namesOf(mirror: Mirror): readonly string[] {
  return [mirror.sessionId.toLowerCase(), mirrorKey(mirror).toLowerCase()];
}

function mirrorsFolder(places: Places): string {
  return join(continuoHome(places), "mirrors");
}

function folderOf({ agent, sessionId }: MirrorKey, places: Places): string {
  return join(mirrorsFolder(places), agent, idInPath(sessionId));
}

function notePath(key: MirrorKey, places: Places): string {
  return join(folderOf(key, places), NOTE);
}

function filesOf(key: MirrorKey, places: Places): string {
  return join(folderOf(key, places), "files");
}

function treesOf(key: MirrorKey, places: Places): string {
  return join(folderOf(key, places), "work-trees");
}

function toMirror(value: unknown): Mirror | null {
  if (!isJson(value) || value.version !== 1) return null;
  const { agent, sessionId, main, machine, home, folder, takenOver, workTree } = value;
  if (typeof agent !== "string" || !isAgentName(agent) || typeof sessionId !== "string") return null;
  if (typeof main !== "string" || typeof machine !== "string" || typeof home !== "string") return null;
  return {
    agent,
    sessionId,
    main,
    machine,
    home,
    folder: typeof folder === "string" ? folder : null,
    takenOver: isJson(takenOver) ? toTakenOver(takenOver) : null,
    workTree: isJson(workTree) ? toTree(workTree) : null,
  };
}

function toTree({ sha256, folder, at }: Json): MirroredTree | null {
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/u.test(sha256)) return null;
  return typeof folder === "string" && typeof at === "string" ? { sha256, folder, at } : null;
}

function toTakenOver({ at, session, begun }: Json): MirrorTakeOver {
  return {
    at: String(at),
    session: isJson(session) ? toPlaced(session) : null,
    begun: isJson(begun) ? toBegun(begun) : null,
  };
}

function toBegun({ cwd, sinceMs }: Json): MirrorTakeOver["begun"] {
  return typeof cwd === "string" && typeof sinceMs === "number" ? { cwd, sinceMs } : null;
}

function toPlaced({ agent, sessionId, cwd }: Json): MirrorTakeOver["session"] {
  if (typeof agent !== "string" || !isAgentName(agent)) return null;
  return { agent, sessionId: String(sessionId), cwd: String(cwd) };
}
