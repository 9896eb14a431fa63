/**
 * The manifest of a session in the guard's folder contains its row, and its files as pieces, in their newest state. An
 * older state is kept too if the agent emptied or rewrote the session, so that the newest state does not contain it.
 */

import { isAbsolute } from "node:path";
import { isAgentName, type SessionInfo } from "@continuo/core/model";
import { isJson, type Places } from "@continuo/files";
import type { SessionKey } from "./folder.ts";
import { readManifestText, writeManifestText } from "./manifest-file.ts";
import { jsonIn } from "./packed-text.ts";
import type { Piece, PiecedFile } from "./pieces.ts";

export interface StoredFile extends PiecedFile {
  /** The path of the file in the agent's folder. */
  readonly from: string;
  readonly mtimeMs: number;
  readonly inode: number;
  /** Set for the rows of a session in a database, as SQL text; `from` is `PATH#ID` then. Left out for a file. */
  readonly rows?: true;
}

/** All files of a session at one moment; files that the agent removed later are kept. */
export interface StoredState {
  /** ISO 8601. */
  readonly storedAt: string;
  /** The first one is the session's own. */
  readonly files: readonly StoredFile[];
}

export interface GuardManifest {
  readonly version: 1;
  readonly info: SessionInfo;
  /** Newest first; never empty. */
  readonly states: readonly StoredState[];
}

/** The most states of a session. */
export const MAX_STATES = 8;

/** Returns `null` if there is no manifest, or if it is damaged. */
export function readManifest(key: SessionKey, places: Places): GuardManifest | null {
  const text = readManifestText(key, places);
  return text === null ? null : toManifest(text);
}

export function toManifest(text: string): GuardManifest | null {
  const value = jsonIn(text);
  return isManifest(value) ? value : null;
}

/** Errors: those of the system. */
export function writeManifest(manifest: GuardManifest, places: Places): void {
  writeManifestText(manifest.info, textOf(manifest), places);
}

export function textOf(manifest: GuardManifest): string {
  return JSON.stringify(manifest);
}

export function piecesOf({ states }: GuardManifest): readonly Piece[] {
  return states.flatMap(({ files }) => files.flatMap(({ pieces }) => pieces));
}

/** Returns the number of bytes on disk; a piece that two sessions share counts for both. */
export function storedBytesOf(manifest: GuardManifest): number {
  const each = new Map(piecesOf(manifest).map((piece) => [piece.sha256, piece.storedBytes]));
  return [...each.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Checks every part, because restoring writes to the paths in the manifest. */
function isManifest(value: unknown): value is GuardManifest {
  if (!isJson(value) || value.version !== 1 || !isJson(value.info)) return false;
  const { agent, sessionId, location } = value.info;
  if (!isAgentName(agent) || typeof sessionId !== "string" || typeof location !== "string") return false;
  return isListOf(value.states, isState) && value.states.length > 0;
}

function isState(value: unknown): boolean {
  return (
    isJson(value) &&
    typeof value.storedAt === "string" &&
    isListOf(value.files, isFile) &&
    value.files.length > 0
  );
}

function isFile(value: unknown): boolean {
  if (!isJson(value) || typeof value.from !== "string" || !isAbsolute(value.from)) return false;
  const numbers = [value.sizeBytes, value.mtimeMs, value.inode];
  return (
    isHash(value.sha256) && numbers.every((one) => typeof one === "number") && isListOf(value.pieces, isPiece)
  );
}

function isPiece(value: unknown): boolean {
  return isJson(value) && isHash(value.sha256) && typeof value.sizeBytes === "number";
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/u.test(value);
}

function isListOf(value: unknown, isEach: (each: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(isEach);
}
