/** The JSON Schema of every event of a log, from the table of event types. */

import { EVENT_KINDS, type EventKind, type FieldKind, fieldNames } from "@continuo/core/model";
import type { Schema } from "./type-schemas.ts";

const FIELDS: Readonly<Record<FieldKind, Schema>> = {
  text: { type: "string" },
  number: { type: "number" },
  flag: { type: "boolean" },
  any: {},
  object: { type: "object" },
  list: { type: "array" },
  content: {
    anyOf: [
      { type: "string" },
      {
        type: "array",
        items: { type: "object", properties: { type: { type: "string" } }, required: ["type"] },
      },
    ],
  },
  role: { $ref: "#/$defs/Role" },
  usage: { type: "object" },
  bytes: { type: "string", contentEncoding: "base64" },
};

/** One definition for each type of event, and `Event` for an event of any type. */
export function eventDefs(envelope: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> {
  const types = Object.entries(EVENT_KINDS);
  return {
    Event: {
      description:
        "A stored event. Its data is as the definition of its type says, unless `invalid` or `pruned` is there; a type that has no definition is kept as it is.",
      $ref: "#/$defs/StoredEvent",
      allOf: types.map(([type]) => ({
        if: {
          properties: { type: { const: type } },
          required: ["type"],
          not: { anyOf: [{ required: ["invalid"] }, { required: ["pruned"] }] },
        },
        // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
        then: { properties: { data: { $ref: `#/$defs/${type}` } } },
      })),
    },
    ...envelope,
    ...Object.fromEntries(types.map(([type, kind]) => [type, dataOf(type, kind)])),
  };
}

function dataOf(type: string, { says, payload }: EventKind): Schema {
  if (type === "bytes") return { description: says, ...FIELDS.bytes };
  const properties: Record<string, Schema> = {};
  const required: Schema[] = [];
  for (const [key, kind] of Object.entries(payload)) {
    const isOptional = key.endsWith("?");
    const names = fieldNames(isOptional ? key.slice(0, -1) : key);
    // The table accepts `null` for an optional field.
    const schema = isOptional && kind !== "any" ? { anyOf: [FIELDS[kind], { type: "null" }] } : FIELDS[kind];
    for (const name of names) properties[name] = schema;
    if (!isOptional) required.push({ anyOf: names.map((name) => ({ required: [name] })) });
  }
  return {
    description: says,
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { allOf: required }),
  };
}
