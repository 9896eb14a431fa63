/** JSON in columns other than payloads: metadata, inputs, results, snapshots. */

import { jsonTextOf } from "@continuo/core/model";
import { LIMITS } from "../engine/index.ts";
import { invalid, tooLarge } from "./refusals.ts";

/** Errors: `invalid`, `too_large`. */
export function textOfJson(what: string, value: unknown): string {
  const text = jsonTextOf(value);
  if (text.length > LIMITS.payloadBytes) throw tooLarge(`the ${what}`, LIMITS.payloadBytes, text.length);
  return text;
}

export function jsonOf(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown);
}

export type Metadata = Readonly<Record<string, unknown>>;

export function metadataText(value: Metadata | undefined): string {
  if (value === undefined) return "{}";
  assertMetadata(value);
  return textOfJson("metadata", value);
}

/** Keys are set one by one; `null` removes one. */
export function mergedMetadata(text: string, patch: Metadata | undefined): string {
  if (patch === undefined) return text;
  assertMetadata(patch);
  const merged = { ...(JSON.parse(text) as Metadata), ...patch };
  const kept = Object.entries(merged).filter(([, value]) => value !== null && value !== undefined);
  return textOfJson("metadata", Object.fromEntries(kept));
}

function assertMetadata(value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("the metadata must be an object");
}
