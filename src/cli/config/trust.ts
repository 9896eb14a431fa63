/** Which projects' files the person trusts, by path and content: `trust.json` in `CONTINUO_HOME`. */

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJson } from "../../agents/reader/index.ts";
import { ContinuoError } from "../../model/index.ts";
import { createFileOutput, type Shell } from "../terminal/index.ts";
import { type RawFile, readFile } from "./files.ts";

export interface TrustedFile {
  readonly path: string;
  readonly sha256: string;
  /** ISO 8601 UTC. */
  readonly trustedAt: string;
}

export type TrustState = "trusted" | "changed" | "never trusted";

export function trustRecordOf(home: string): string {
  return join(home, "trust.json");
}

/** Errors: `corrupt`: a record that cannot be read trusts nothing, and is not written over. */
export function readTrusted(home: string): readonly TrustedFile[] {
  const path = trustRecordOf(home);
  const file = readFile(path);
  if (file === null) return [];
  const record = parseJson(file.text);
  if (isJson(record) && record.version === 1 && areTrusted(record.files)) return record.files;
  throw new ContinuoError("corrupt", `${path} is no record of trust that this version can read`, {
    hint: "Delete it, and say `continuo trust` again where you need it.",
  });
}

export function trustStateOf(file: RawFile, trusted: readonly TrustedFile[]): TrustState {
  const known = trusted.find(({ path }) => path === file.path);
  if (known === undefined) return "never trusted";
  return known.sha256 === file.sha256 ? "trusted" : "changed";
}

/** Written whole or not at all, for this user alone to read. Errors: `unwritable`, `corrupt`. */
export async function writeTrusted(
  home: string,
  change: (before: readonly TrustedFile[]) => readonly TrustedFile[],
  shell: Shell,
): Promise<void> {
  const path = trustRecordOf(home);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const files = change(readTrusted(home));
  using output = createFileOutput(path, shell);
  await output.write(`${JSON.stringify({ version: 1, files }, null, 2)}\n`);
  await output.commit();
}

function areTrusted(files: unknown): files is readonly TrustedFile[] {
  const isText = (value: unknown): boolean => typeof value === "string";
  return (
    Array.isArray(files) &&
    files.every((one) => isJson(one) && [one.path, one.sha256, one.trustedAt].every(isText))
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is no record.
    return undefined;
  }
}
