/** The kinds of payload fields, and how a value is checked against one. A key that ends in `?` may be absent. */

import type { Block, Role, Usage } from "../messages/index.ts";

export interface FieldTypes {
  readonly text: string;
  readonly number: number;
  readonly flag: boolean;
  readonly any: unknown;
  readonly object: Readonly<Record<string, unknown>>;
  readonly list: readonly unknown[];
  readonly content: string | readonly Block[];
  readonly role: Role;
  readonly usage: Usage;
  readonly bytes: Uint8Array;
}

export type FieldKind = keyof FieldTypes;

/** `{ content: "content", "role?": "role" }` */
export type Shape = Readonly<Record<string, FieldKind>>;

type Optional<Key> = Key extends `${infer Name}?` ? Name : never;
type RequiredKey<Key> = Key extends `${string}?` ? never : Key;

export type FromShape<S extends Shape> = {
  readonly [Key in keyof S as RequiredKey<Key>]: FieldTypes[S[Key]];
} & {
  readonly [Key in keyof S as Optional<Key>]?: FieldTypes[S[Key]];
};

const ROLES: readonly unknown[] = ["system", "user", "assistant", "tool"] satisfies readonly Role[];

/** The name of each kind in documentation, and the check of its values. */
export const FIELD_KINDS: Readonly<
  Record<FieldKind, { readonly name: string; readonly accepts: (value: unknown) => boolean }>
> = {
  text: { name: "string", accepts: (value) => typeof value === "string" },
  number: { name: "number", accepts: (value) => typeof value === "number" },
  flag: { name: "boolean", accepts: (value) => typeof value === "boolean" },
  any: { name: "anything", accepts: () => true },
  object: { name: "object", accepts: isObject },
  list: { name: "array", accepts: Array.isArray },
  content: {
    name: "string or Block[]",
    accepts: (value) => typeof value === "string" || (Array.isArray(value) && value.every(isBlock)),
  },
  role: { name: "role", accepts: (value) => ROLES.includes(value) },
  usage: { name: "Usage", accepts: isObject },
  bytes: { name: "bytes", accepts: (value) => value instanceof Uint8Array },
};

/**
 * Returns one sentence that says why the payload does not have the shape; `undefined` if it has the shape. Other keys
 * may have any value.
 */
export function shapeProblem(shape: Shape, payload: unknown): string | undefined {
  if (!isObject(payload)) return "The payload is no object.";
  for (const [key, kind] of Object.entries(shape)) {
    const optional = key.endsWith("?");
    const name = optional ? key.slice(0, -1) : key;
    const value = fieldOf(payload, name);
    if (value === undefined) {
      if (optional) continue;
      return `The payload lacks ${name}.`;
    }
    if (optional && value === null) continue;
    if (!FIELD_KINDS[kind].accepts(value)) return `${name} is no ${FIELD_KINDS[kind].name}.`;
  }
  return undefined;
}

const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  toolCallId: ["tool_call_id", "tool_use_id", "call_id"],
};

/** Returns a field by its own name, or else by its name in snake_case or by a name that agents use for it. */
export function fieldOf(payload: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  for (const other of otherNamesOf(name)) if (Object.hasOwn(payload, other)) return payload[other];
  return undefined;
}

/** Every name under which a payload may have a field; its own name counts before the others. */
export function fieldNames(name: string): readonly string[] {
  return [name, ...otherNamesOf(name)];
}

const otherNames = new Map<string, readonly string[]>();

/** The table has few keys, so each spelling is computed only once. */
function otherNamesOf(name: string): readonly string[] {
  let names = otherNames.get(name);
  if (names === undefined) {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    names = [...new Set([snake, ...(OTHER_NAMES[name] ?? [])])].filter((other) => other !== name);
    otherNames.set(name, names);
  }
  return names;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isBlock(value: unknown): boolean {
  return isObject(value) && typeof value.type === "string";
}
