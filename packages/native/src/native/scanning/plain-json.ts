/**
 * Converts a state of plain data to JSON and back. Typed arrays become base64 without the zeros at their end: a column
 * with free room has many of them.
 */

type TaggedValue = { readonly $: string; readonly v: unknown; readonly n?: number };

const ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f64: Float64Array,
} as const;

export function toPlainJson(value: unknown): unknown {
  if (typeof value === "number") return isPlain(value) ? value : { $: "number", v: nameOf(value) };
  if (value === undefined) return { $: "undefined" };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toPlainJson);
  if (value instanceof Map) return { $: "map", v: [...value].map(toPlainJson) };
  if (value instanceof Set) return { $: "set", v: [...value].map(toPlainJson) };
  if (ArrayBuffer.isView(value)) return columnToJson(value);
  const entries = Object.entries(value).map(([key, each]) => [key, toPlainJson(each)] as const);
  return Object.hasOwn(value, "$") ? { $: "object", v: entries } : Object.fromEntries(entries);
}

/** Throws for a value that `toPlainJson` did not return. */
export function fromPlainJson(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(fromPlainJson);
  if (Object.hasOwn(json, "$")) return untag(json as TaggedValue);
  // A state has hundreds of thousands of objects, so no arrays of entries are made for them.
  const value: Record<string, unknown> = {};
  for (const key of Object.keys(json)) {
    const each = fromPlainJson((json as Readonly<Record<string, unknown>>)[key]);
    if (key === "__proto__") Object.defineProperty(value, key, { ...OWN_PROPERTY, value: each });
    else value[key] = each;
  }
  return value;
}

const OWN_PROPERTY = { configurable: true, enumerable: true, writable: true } as const;

function untag({ $, v, n }: TaggedValue): unknown {
  switch ($) {
    case "undefined":
      return undefined;
    case "number":
      return Number(v);
    case "map":
      return new Map(fromPlainJson(v) as [unknown, unknown][]);
    case "set":
      return new Set(fromPlainJson(v) as unknown[]);
    case "object":
      return Object.fromEntries(fromPlainJson(v) as [string, unknown][]);
    default:
      return columnFromJson($ as keyof typeof ARRAYS, String(v), Number(n));
  }
}

function isPlain(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}

function nameOf(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function columnToJson(column: ArrayBufferView): TaggedValue {
  const tag = Object.entries(ARRAYS).find(([, Column]) => column instanceof Column)?.[0];
  if (tag === undefined) throw new Error("a state holds typed arrays of five kinds alone");
  const bytes = Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  const length = column.byteLength / ARRAYS[tag as keyof typeof ARRAYS].BYTES_PER_ELEMENT;
  return { $: tag, v: bytes.toString("base64", 0, end), n: length };
}

function columnFromJson(tag: keyof typeof ARRAYS, base64: string, length: number): unknown {
  const column = new ARRAYS[tag](length);
  new Uint8Array(column.buffer).set(Buffer.from(base64, "base64"));
  return column;
}
