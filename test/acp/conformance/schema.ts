/** The protocol's own schema, as its package ships it, against messages of an agent and of a client. */

import { createRequire } from "node:module";
import { z } from "zod";
import type { Json, Message } from "./wire.ts";

export type Version = 1 | 2;

interface Schema {
  readonly $schema: string;
  readonly $defs: Readonly<Record<string, Json>>;
}

const FILES: Readonly<Record<Version, string>> = {
  1: "@agentclientprotocol/sdk/schema/v1/schema.unstable.json",
  2: "@agentclientprotocol/sdk/schema/v2/schema.json",
};
const schemas = new Map<Version, Schema>();

function schemaOf(version: Version): Schema {
  const known = schemas.get(version) ?? (readable(createRequire(import.meta.url)(FILES[version])) as Schema);
  schemas.set(version, known);
  return known;
}

/**
 * Removes two keywords that zod does not read. The schema allows no further message without them: `not` keeps known
 * words out of the branch for unknown ones, and `unevaluatedProperties` is always true.
 */
function readable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(readable);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => !(key === "not" && typeof value === "object") && key !== "unevaluatedProperties",
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, readable(value)]));
}

const made = new Map<string, z.ZodType>();

function definition(name: string, version: Version): z.ZodType {
  const { $schema, $defs } = schemaOf(version);
  const key = `${version} ${name}`;
  const known = made.get(key) ?? z.fromJSONSchema({ $schema, $defs, $ref: `#/$defs/${name}` } as never);
  made.set(key, known);
  return known;
}

/** Returns the name of the definition of one side's method: its `Request`, `Notification` or `Response`. */
function nameFor(
  {
    side,
    method,
    end,
  }: { side: "agent" | "client"; method: string; end: "Response" | "Request" | "Notification" },
  version: Version,
): string | null {
  const found = Object.entries(schemaOf(version).$defs).find(
    ([name, one]) => one["x-side"] === side && one["x-method"] === method && name.endsWith(end),
  );
  return found?.[0] ?? null;
}

/** Returns the violations in a message of an agent, as sentences. `asked` is the method that the message answers. */
export function violationsOf(message: Message, asked: string | undefined, version: Version = 1): string[] {
  return violationsFrom("agent", message, { asked, version });
}

/** Returns the same for a message of a client. */
export function violationsOfClient(
  message: Message,
  asked: string | undefined,
  version: Version = 1,
): string[] {
  return violationsFrom("client", message, { asked, version });
}

function violationsFrom(
  sender: "agent" | "client",
  message: Message,
  { asked, version }: { readonly asked: string | undefined; readonly version: Version },
): string[] {
  const { jsonrpc, id, method, params, result, error } = message;
  if (jsonrpc !== "2.0") return [`no "jsonrpc": "2.0" in ${JSON.stringify(message).slice(0, 200)}`];
  if (method !== undefined) {
    const name = nameFor(
      {
        side: sender === "agent" ? "client" : "agent",
        method,
        end: id === undefined ? "Notification" : "Request",
      },
      version,
    );
    if (name === null)
      return method.startsWith("$/") || method.startsWith("_") ? [] : [`unknown method ${method}`];
    return wrongIn(name, params, version);
  }
  if ((result === undefined) === (error === undefined)) return ["an answer has either a result or an error"];
  if (error !== undefined)
    return Number.isInteger(error.code) ? wrongIn("Error", error, version) : ["no integer code"];
  const name =
    asked === undefined ? null : nameFor({ side: sender, method: asked, end: "Response" }, version);
  return name === null ? [] : wrongIn(name, result, version);
}

function wrongIn(name: string, value: unknown, version: Version): string[] {
  const { success, error } = definition(name, version).safeParse(value);
  return success
    ? []
    : [`${name}: ${error.message.slice(0, 1_000)} in ${JSON.stringify(value).slice(0, 500)}`];
}

/**
 * Returns a sentence for each top-level field of the parameters or the result that the protocol does not have; `asked`
 * as in `violationsOf`.
 */
export function unknownKeysIn(
  { id, method, params, result }: Message,
  asked: string | undefined,
  version: Version,
): string[] {
  const end = method === undefined ? "Response" : id === undefined ? "Notification" : "Request";
  const of = method ?? asked;
  const name =
    of === undefined
      ? null
      : nameFor({ side: method === undefined ? "agent" : "client", method: of, end }, version);
  const value = method === undefined ? result : params;
  if (name === null || value === undefined || value === null) return [];
  const known = new Set(keysOf({ $ref: `#/$defs/${name}` }, version));
  return Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => `${name} has no ${key}`);
}

/** The fields that a definition, or a branch of it, names. */
function keysOf(part: unknown, version: Version): readonly string[] {
  const {
    $ref,
    properties = {},
    allOf = [],
    anyOf = [],
    oneOf = [],
  } = part as {
    readonly $ref?: string;
    readonly properties?: Json;
    readonly allOf?: readonly unknown[];
    readonly anyOf?: readonly unknown[];
    readonly oneOf?: readonly unknown[];
  };
  const referred = $ref === undefined ? [] : [schemaOf(version).$defs[$ref.replace("#/$defs/", "")] ?? {}];
  const parts = [...referred, ...allOf, ...anyOf, ...oneOf];
  return [...Object.keys(properties), ...parts.flatMap((one) => keysOf(one, version))];
}
