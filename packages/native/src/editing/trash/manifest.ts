/**
 * The manifest of a folder of the trash, its `manifest.json`: it marks the folder as a session, and is on disk before
 * anything is moved.
 */

import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ContinuoError, type Problem, type SessionInfo } from "@continuo/core/model";
import { continuoHome, isJson, type Json, listNames, type Places } from "@continuo/files";
import type { TrashPlan } from "../../native/kit/index.ts";
import type { KeptFile } from "./files.ts";

export interface TrashedSession {
  /** The id of the trash folder; `restoreFromTrash` takes it. */
  readonly trashId: string;
  readonly trashedAt: string;
  readonly info: Pick<
    SessionInfo,
    "agent" | "sessionId" | "title" | "cwd" | "updatedAt" | "sizeBytes" | "location"
  >;
}

export interface Manifest extends TrashedSession {
  readonly version: 1;
  readonly plan: TrashPlan;
  readonly files: readonly KeptFile[];
  /**
   * The hash of the file that replaced the session's only file, or `rows`: the replacement is removed when the session
   * is restored.
   */
  readonly replacement?: string;
  /** The files that replaced the session in another place: they are removed too. */
  readonly placed?: readonly PlacedFile[];
  /** The folders that were made for the files of a whole project; left out for one session. */
  readonly made?: readonly string[];
  /** Columns of `plan.indexRows` that have other values while the session is not in its old state. */
  readonly indexSet?: Readonly<Record<string, string>>;
}

export interface PlacedFile {
  readonly path: string;
  readonly sha256: string;
}

export const MANIFEST = "manifest.json";

/** `CONTINUO_HOME/trash`; `CONTINUO_HOME` is `~/.continuo` unless the environment gives another folder. */
export function trashFolder(places: Places): string {
  return join(continuoHome(places), "trash");
}

export interface TrashListing {
  readonly sessions: readonly TrashedSession[];
  /** Folders whose manifest cannot be read: their files stay there. */
  readonly problems: readonly Problem[];
}

/** Newest first. A folder without a manifest is not a trashed session. */
export function listTrash(places: Places): TrashListing {
  const { manifests, problems } = readManifests(places);
  return {
    sessions: manifests.map(({ trashId, trashedAt, info }) => ({ trashId, trashedAt, info })),
    problems,
  };
}

/** Sorts deletions, the newest first. */
export function byNewestDeletion(
  a: { readonly trashedAt: string },
  b: { readonly trashedAt: string },
): number {
  return a.trashedAt < b.trashedAt ? 1 : -1;
}

/** Errors: those of `oneInTrash`. */
export function findManifest(id: string, places: Places): Manifest {
  return oneInTrash(id, readManifests(places).manifests);
}

/** A deleted session, native or Continuo's own. */
export interface NamedInTrash {
  readonly trashId: string;
  readonly info: { readonly agent: string; readonly sessionId: string };
}

/**
 * Returns the deletions that a person names by a trash id, a session id or the beginning of one, with or without
 * `agent:`. An exact id has priority over ids that only begin with the text.
 */
export function namedInTrash<T extends NamedInTrash>(name: string, trashed: readonly T[]): readonly T[] {
  const wanted = name.toLowerCase();
  if (wanted === "") return [];
  const exact = trashed.filter((one) => idsOf(one, wanted).includes(wanted));
  if (exact.length > 0) return exact;
  return trashed.filter((one) => idsOf(one, wanted).some((id) => id.startsWith(wanted)));
}

/** The beginning of an agent's name does not name every session of the agent. */
function idsOf({ trashId, info: { agent, sessionId } }: NamedInTrash, wanted: string): readonly string[] {
  const ids = [trashId, sessionId].map((id) => id.toLowerCase());
  return wanted.startsWith(`${agent}:`) ? [...ids, `${agent}:${sessionId}`.toLowerCase()] : ids;
}

/**
 * Returns the first deletion of the one session that the name has in the trash.
 *
 * Errors: `not_found`; `ambiguous` with `details.matches` if the name fits several sessions.
 */
export function oneInTrash<T extends NamedInTrash>(name: string, trashed: readonly T[]): T {
  const matches = namedInTrash(name, trashed);
  const [first] = matches;
  if (first === undefined) {
    throw new ContinuoError("not_found", `there is no session ${JSON.stringify(name)} in the trash`, {
      hint: "Run `continuo session trash` to see the sessions in the trash.",
    });
  }
  const names = new Set(matches.map(({ info }) => `${info.agent}:${info.sessionId}`));
  if (names.size > 1) {
    throw new ContinuoError(
      "ambiguous",
      `${JSON.stringify(name)} names ${names.size} sessions in the trash`,
      {
        hint: "Give more of the id, or AGENT:ID.",
        details: { matches: matches.map(({ trashId, info }) => ({ trashId, ...info })) },
      },
    );
  }
  return first;
}

function readManifests(places: Places): { readonly manifests: Manifest[]; readonly problems: Problem[] } {
  const base = trashFolder(places);
  const manifests: Manifest[] = [];
  const problems: Problem[] = [];
  for (const name of listNames(base)) {
    const path = join(base, name, MANIFEST);
    if (name.startsWith(".") || !existsSync(path)) continue;
    const manifest = readManifest(path);
    if (manifest !== null && manifest.trashId === name) manifests.push(manifest);
    else
      problems.push({
        code: "unreadable",
        line: null,
        message: `${path} is not a manifest that Continuo wrote`,
      });
  }
  return { manifests: manifests.sort(byNewestDeletion), problems };
}

/** `null` if there is none, or it is damaged. */
export function readManifest(path: string): Manifest | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isManifest(value) ? value : null;
  } catch {
    return null;
  }
}

/** Checks every part, because a restoration writes to the paths in it: no file is outside of the folder. */
function isManifest(value: unknown): value is Manifest {
  if (!isJson(value) || !isJson(value.info) || !isJson(value.plan) || !isListOf(value.files, isKeptFile))
    return false;
  if (value.indexSet !== undefined && !isJson(value.indexSet)) return false;
  if (value.made !== undefined && !isListOf(value.made, isText)) return false;
  if (value.placed !== undefined && !isListOf(value.placed, isPlacedFile)) return false;
  const { agent, sessionId, location } = value.info;
  const texts = [value.trashId, value.trashedAt, agent, sessionId, location];
  return texts.every(isText) && isPlan(value.plan);
}

function isPlan({ type, paths, indexLines, indexRows = [], forks, database, tables }: Json): boolean {
  if (!isListOf(forks, isText)) return false;
  if (type === "rows") return isDatabaseRows({ database, tables });
  if (type !== "files" || !isListOf(indexRows, isDatabaseRows)) return false;
  return isListOf(paths, isText) && isListOf(indexLines, isIndexLines);
}

function isDatabaseRows(value: unknown): boolean {
  return isJson(value) && isText(value.database) && isListOf(value.tables, isTableRows);
}

function isKeptFile(value: unknown): boolean {
  if (!isJson(value) || !isText(value.from) || !isText(value.to) || !isText(value.sha256)) return false;
  return isAbsolute(value.from) && /^files\/\d+$/u.test(value.to);
}

function isPlacedFile(value: unknown): boolean {
  return isJson(value) && isText(value.path) && isAbsolute(value.path) && isText(value.sha256);
}

function isTableRows(value: unknown): boolean {
  return isJson(value) && isText(value.name) && isText(value.column) && isListOf(value.values, isText);
}

function isIndexLines(value: unknown): boolean {
  return isJson(value) && isText(value.path) && isListOf(value.lines, isText);
}

function isListOf(value: unknown, isEach: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isEach);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
