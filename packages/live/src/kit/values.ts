/** Plain values: a check of objects from JSON, and hashes. */

import { hash } from "node:crypto";

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data);
}
