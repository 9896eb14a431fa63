/**
 * The guard's log: one line for each change of a manifest, with the hash of the line before it. A manifest or a line that another
 * program changed, or took away, is found by that.
 *
 * A line is on disk before its manifest: after a kill between the two, the manifest is the one of the line before.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { appendLines, createFile, isJson, makeFolderDurably, type Places } from "@continuo/files";
import { guardFolder, keyOf, type SessionKey } from "./folder.ts";

export interface ChainLine extends SessionKey {
  /** ISO 8601. */
  readonly at: string;
  readonly what: "stored" | "forgotten";
  /** The hash of the manifest; `null` for a session that is forgotten. */
  readonly manifest: string | null;
  /** The hash of the line before; `null` for the first one. */
  readonly previous: string | null;
}

const FIRST: string | null = null;

/** Appends to the log, under the lock of the guard. */
export interface Chain {
  append(line: Omit<ChainLine, "previous">): void;
}

/** Errors: the system's. */
export function openChain(places: Places): Chain {
  const path = chainPath(places);
  let previous = FIRST;
  for (const line of linesOf(path)) previous = sha256Of(line);
  return {
    append(line) {
      if (!existsSync(path)) {
        makeFolderDurably(dirname(path));
        createFile(path);
      }
      const text = JSON.stringify({ ...line, previous });
      appendLines(path, Buffer.from(`${text}\n`));
      previous = sha256Of(text);
    },
  };
}

export interface ChainState {
  /** The hashes that the manifest of a session may have, newest first; empty for one that was forgotten. */
  readonly manifests: ReadonlyMap<string, readonly string[]>;
  /** Numbers of the lines that do not follow the line before them, from 1. */
  readonly broken: readonly number[];
}

/** Reads only. */
export function readChain(places: Places): ChainState {
  const manifests = new Map<string, readonly string[]>();
  const broken: number[] = [];
  let previous = FIRST;
  for (const [at, text] of linesOf(chainPath(places)).entries()) {
    const line = toLine(text);
    if (line === null || line.previous !== previous) broken.push(at + 1);
    previous = sha256Of(text);
    if (line === null) continue;
    const before = manifests.get(keyOf(line)) ?? [];
    manifests.set(keyOf(line), line.manifest === null ? [] : [line.manifest, ...before.slice(0, 1)]);
  }
  return { manifests, broken };
}

/** A line that a kill broke off says nothing: its change was not made. */
function linesOf(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "" && toLine(line) !== null);
}

function toLine(text: string): ChainLine | null {
  try {
    const value: unknown = JSON.parse(text);
    const isLine = isJson(value) && typeof value.agent === "string" && typeof value.sessionId === "string";
    return isLine ? (value as unknown as ChainLine) : null;
  } catch {
    return null;
  }
}

export function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function chainPath(places: Places): string {
  return join(guardFolder(places), "log.jsonl");
}
