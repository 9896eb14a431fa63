/**
 * The one list of all guarded sessions, `sessions.json.zst`, so that a run over thousands of them reads only one file,
 * which has the state of each at the time of its copy. The manifests are authoritative; a missing list is made from
 * them.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SessionInfo } from "@continuo/core/model";
import { isJson, type Places, readSmallFile, removeDurably } from "@continuo/files";
import { sha256Of } from "./chain.ts";
import { guardFolder, keyOf, type SessionKey } from "./folder.ts";
import { type GuardManifest, storedBytesOf, toManifest } from "./manifest.ts";
import { manifestTexts } from "./manifest-file.ts";
import { jsonIn, readPackedText, writePackedText } from "./packed-text.ts";

export interface GuardedSession extends SessionKey {
  readonly agent: SessionInfo["agent"];
  readonly location: string;
  readonly cwd: string | null;
  /**
   * The sizes, times and inodes of the session's own files at the time of the copy; for a session in a database, facts
   * of its row.
   */
  readonly stamp: string;
  /** The size of the copy on disk. */
  readonly storedBytes: number;
  /** ISO 8601. */
  readonly storedAt: string;
  /** The time from which the agent may delete it, in milliseconds since 1970; `null` if no rule deletes it. */
  readonly endsAtMs: number | null;
}

export type Ledger = ReadonlyMap<string, GuardedSession>;

const MAX_LEDGER_BYTES = 256 * 1024 * 1024;

/** Reads the list, and changes nothing. */
export function readLedger(places: Places): Ledger {
  const value = jsonIn(readPackedText(ledgerPath(places)) ?? plainLedger(places));
  if (!Array.isArray(value) || !value.every(isGuarded)) return ledgerOfManifests(places);
  return new Map(value.map((one: GuardedSession) => [keyOf(one), one]));
}

/**
 * An unchanged list is not written: most runs find nothing new, and a sync of the disk takes long. Errors: those of the
 * system.
 */
export function writeLedger(ledger: Ledger, places: Places): void {
  const text = `${JSON.stringify([...ledger.values()])}\n`;
  if (readPackedText(ledgerPath(places)) === text) return;
  writePackedText(ledgerPath(places), text);
  if (existsSync(plainLedgerPath(places))) removeDurably(plainLedgerPath(places));
}

/** Makes the list from the manifests, which are read one by one. Those that cannot be read are left out. */
function ledgerOfManifests(places: Places): Ledger {
  const ledger = new Map<string, GuardedSession>();
  for (const { manifest } of manifestsIn(places)) {
    if (manifest === null) continue;
    const one = toGuarded(manifest, "", null);
    ledger.set(keyOf(one), one);
  }
  return ledger;
}

export function toGuarded(manifest: GuardManifest, stamp: string, endsAtMs: number | null): GuardedSession {
  const { agent, sessionId, location, cwd } = manifest.info;
  const storedAt = manifest.states[0]?.storedAt ?? "";
  return { agent, sessionId, location, cwd, stamp, storedBytes: storedBytesOf(manifest), storedAt, endsAtMs };
}

export interface ManifestFile {
  readonly path: string;
  /** `null` if the manifest is damaged. */
  readonly manifest: GuardManifest | null;
  readonly sha256: string;
}

export function* manifestsIn(places: Places): Generator<ManifestFile> {
  for (const { path, text } of manifestTexts(places))
    yield { path, manifest: text === null ? null : toManifest(text), sha256: sha256Of(text ?? "") };
}

function ledgerPath(places: Places): string {
  return join(guardFolder(places), "sessions.json.zst");
}

/** Reads the list of an older version of Continuo. */
function plainLedger(places: Places): string | null {
  return readSmallFile(plainLedgerPath(places), { maxBytes: MAX_LEDGER_BYTES });
}

function plainLedgerPath(places: Places): string {
  return join(guardFolder(places), "sessions.json");
}

function isGuarded(value: unknown): boolean {
  if (!isJson(value)) return false;
  return [value.agent, value.sessionId, value.location, value.stamp, value.storedAt].every(
    (one) => typeof one === "string",
  );
}
