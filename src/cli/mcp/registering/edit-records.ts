/** Edits of installations, stored so that they can be taken back byte for byte. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { continuoHome, isJson, type Places, readJsonFile, writeDurably } from "@continuo/files";
import type { Edit } from "./edit.ts";

export interface EditRecord {
  readonly edit: Edit;
  /** True if the installation created the file. */
  readonly isNew: boolean;
}

export function saveEditRecord(
  places: Places,
  path: string,
  after: string,
  { edit, isNew }: EditRecord,
): void {
  const kept = { ...readKept(places), [path]: { sha256: sha256Of(after), edit, isNew } };
  writeDurably(keptPath(places), `${JSON.stringify(kept, null, 2)}\n`);
}

/** `null` if the file has changed since the installation. */
export function readEditRecord(places: Places, path: string, text: string): EditRecord | null {
  const kept = readKept(places);
  const entry = Object.hasOwn(kept, path) ? kept[path] : undefined;
  if (!isJson(entry) || entry.sha256 !== sha256Of(text) || !isJson(entry.edit)) return null;
  const { at, deleted, inserted } = entry.edit;
  if (typeof at !== "number" || typeof deleted !== "string" || typeof inserted !== "string") return null;
  return { edit: { at, deleted, inserted }, isNew: entry.isNew === true };
}

export function removeEditRecord(places: Places, path: string): void {
  const kept = readKept(places);
  if (!Object.hasOwn(kept, path)) return;
  const { [path]: _, ...others } = kept;
  writeDurably(keptPath(places), `${JSON.stringify(others, null, 2)}\n`);
}

function readKept(places: Places): Readonly<Record<string, unknown>> {
  return readJsonFile(keptPath(places)) ?? {};
}

function keptPath(places: Places): string {
  return join(continuoHome(places), "mcp-registrations.json");
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
