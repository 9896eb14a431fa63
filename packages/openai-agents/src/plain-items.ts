/** Items of a history as JSON: bytes, which the SDK allows in them, become text and come back as bytes. */

import { ContinuoError } from "@continuo/core/model";
import type { AgentInputItem } from "@openai/agents-core";

const BYTES = "$bytes";
/** The key under which an object that only looks like bytes is wrapped. */
const PLAIN = "$plain";

/** Errors: `invalid` for a value that JSON cannot represent. Keys without a value are left out. */
export function toPlainItems(items: readonly AgentInputItem[]): readonly unknown[] {
  return items.map((item) => encode(item, []));
}

export function fromPlainItem(plain: unknown): AgentInputItem {
  return decode(plain) as AgentInputItem;
}

function encode(value: unknown, above: readonly object[]): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString("base64") };
  if (typeof value !== "object" || above.includes(value)) throw invalid();
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((one) => encode(one, inside));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw invalid();
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  const plain = Object.fromEntries(entries.map(([key, one]) => [key, encode(one, inside)]));
  return BYTES in plain || PLAIN in plain ? { [PLAIN]: plain } : plain;
}

function decode(plain: unknown): unknown {
  if (typeof plain !== "object" || plain === null) return plain;
  if (Array.isArray(plain)) return plain.map(decode);
  const { [BYTES]: bytes, [PLAIN]: inner } = plain as Readonly<Record<string, unknown>>;
  if (typeof bytes === "string") return new Uint8Array(Buffer.from(bytes, "base64"));
  return decodeEntries(typeof inner === "object" && inner !== null ? inner : plain);
}

function decodeEntries(plain: object): unknown {
  return Object.fromEntries(Object.entries(plain).map(([key, one]) => [key, decode(one)]));
}

function invalid(): ContinuoError {
  return new ContinuoError(
    "invalid",
    "an item of the history has a value that cannot be represented as JSON",
  );
}
