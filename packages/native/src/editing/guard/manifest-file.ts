/**
 * The files of manifests, one for each session. Manifests of older versions of Continuo are uncompressed JSON, and stay
 * so until they change.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { idInPath, listNames, type Places, readSmallFile, removeDurably } from "@continuo/files";
import { guardFolder, type SessionKey } from "./folder.ts";
import { readPackedText, writePackedText } from "./packed-text.ts";

const PACKED = ".json.zst";
const PLAIN = ".json";
const MAX_PLAIN_BYTES = 64 * 1024 * 1024;

export function hasManifest(key: SessionKey, places: Places): boolean {
  return pathsOf(key, places).some((path) => existsSync(path));
}

/** `null` if there is none, or it is damaged. */
export function readManifestText(key: SessionKey, places: Places): string | null {
  const path = pathsOf(key, places).find((one) => existsSync(one));
  return path === undefined ? null : textAt(path);
}

/** Errors: those of the system. */
export function writeManifestText(key: SessionKey, text: string, places: Places): void {
  const [packed, plain] = pathsOf(key, places);
  writePackedText(packed, text);
  if (existsSync(plain)) removeDurably(plain);
}

/** Errors: those of the system. */
export function removeManifest(key: SessionKey, places: Places): void {
  // Removes the older file first: by itself, it would count as the manifest of the session.
  for (const path of pathsOf(key, places).toReversed()) if (existsSync(path)) removeDurably(path);
}

export interface ManifestText {
  readonly path: string;
  /** `null` if the manifest is damaged. */
  readonly text: string | null;
}

export function* manifestTexts(places: Places): Generator<ManifestText> {
  const folder = join(guardFolder(places), "sessions");
  for (const agent of listNames(folder)) {
    const names = new Set(listNames(join(folder, agent)));
    for (const name of names) {
      // A run that was killed between the two steps leaves both files, and the newer one counts.
      const isOlder = name.endsWith(PLAIN) && names.has(name.slice(0, -PLAIN.length) + PACKED);
      if (isOlder || !(name.endsWith(PACKED) || name.endsWith(PLAIN))) continue;
      const path = join(folder, agent, name);
      yield { path, text: textAt(path) };
    }
  }
}

function textAt(path: string): string | null {
  return path.endsWith(PACKED) ? readPackedText(path) : readSmallFile(path, { maxBytes: MAX_PLAIN_BYTES });
}

function pathsOf({ agent, sessionId }: SessionKey, places: Places): readonly [packed: string, plain: string] {
  const path = join(guardFolder(places), "sessions", agent, idInPath(sessionId));
  return [`${path}${PACKED}`, `${path}${PLAIN}`];
}
