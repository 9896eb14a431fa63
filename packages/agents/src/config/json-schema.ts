/** The schema of `continuo.yaml` as JSON Schema, for editors, and the keys that it knows. Pure. */

import { z } from "zod";
import { FILE_SCHEMA } from "./schema.ts";

export interface JsonSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

/** The content of `docs/continuo.schema.json`. */
export function toJsonSchema(): JsonSchema {
  const { $schema, ...schema } = jsonSchemaOf(FILE_SCHEMA);
  return {
    $schema,
    title: "continuo.yaml",
    description: "Configuration of Continuo. docs/configuration.md describes every key.",
    ...schema,
  };
}

export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
}

/** Every key; `*` stands for a name that the user chooses: `agents.*.session.on_missing`. */
export function everyKey(of: JsonSchema = toJsonSchema()): readonly string[] {
  return keysBelow(of, []);
}

/** The keys that may be at a place of the file. */
export function keysAt(path: readonly PropertyKey[], of: JsonSchema = toJsonSchema()): readonly string[] {
  let schema: JsonSchema | undefined = of;
  for (const name of path) schema = schema === undefined ? undefined : innerOf(schema, String(name));
  return Object.keys(propertiesOf(schema));
}

function keysBelow(schema: JsonSchema, path: readonly string[]): string[] {
  const own = Object.entries(propertiesOf(schema)).flatMap(([name, inner]) => [
    [...path, name].join("."),
    ...keysBelow(inner, [...path, name]),
  ]);
  const any = schema.additionalProperties;
  return typeof any === "object" ? [...own, ...keysBelow(any, [...path, "*"])] : own;
}

function innerOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** Returns the properties of a schema; if it has alternatives, those of the alternative that is a map. */
function propertiesOf(schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  return (
    schema?.properties ?? schema?.anyOf?.find(({ properties }) => properties !== undefined)?.properties ?? {}
  );
}
