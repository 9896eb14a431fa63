/** Parses the text of a file: returns its content, or its problems with their positions. Pure. */

import { cutText, nearest } from "@continuo/core/model";
import { entryOf } from "@continuo/files";
import { type Document, isMap, isPair, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import type { z } from "zod";
import { everyKey, type JsonSchema, jsonSchemaOf, keysAt } from "./json-schema.ts";
import { MCP_FILE, type McpFile } from "./mcp-schema.ts";
import { FILE_SCHEMA, type FileContent } from "./schema.ts";
import type { ConfigurationProblem } from "./settings.ts";

/** A file of another content than that of `continuo.yaml`. */
export interface ParsedText<Content> {
  /** Empty if there are problems. */
  readonly content: Content;
  readonly problems: readonly ConfigurationProblem[];
  /** The position of a key. */
  readonly placeOf: (path: readonly PropertyKey[]) => TextPosition;
}

export type ParsedFile = ParsedText<FileContent>;

export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The limit is small, because nobody reads a hundred problems. */
const MAX_PROBLEMS = 20;
const MAX_SHOWN_CHARS = 60;

export function parseFile(text: string, file: string): ParsedFile {
  return parseText<FileContent>(text, file, { schema: FILE_SCHEMA, empty: {} });
}

/** Parses a file with the form of `.mcp.json`. JSON is YAML, whose parser reports the place of a mistake. */
export function parseMcpFile(text: string, file: string): ParsedText<McpFile> {
  return parseText<McpFile>(text, file, { schema: MCP_FILE, empty: { mcpServers: {} } });
}

interface TextForm<Content> {
  readonly schema: z.ZodType<Content>;
  /** The content of a file with problems. */
  readonly empty: Content;
}

function parseText<Content>(
  text: string,
  file: string,
  { schema, empty }: TextForm<Content>,
): ParsedText<Content> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: "core", prettyErrors: false });
  const placeAt = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const placeOf = (path: readonly PropertyKey[]): TextPosition => placeAt(offsetOf(document, path));
  const failed = (problems: readonly ConfigurationProblem[]): ParsedText<Content> => ({
    content: empty,
    problems: problems.slice(0, MAX_PROBLEMS),
    placeOf,
  });
  const strange = [...document.errors, ...document.warnings];
  if (strange.length > 0) {
    return failed(
      strange.map(({ message, pos }) => ({ file, ...placeAt(pos[0]), key: "", message, suggestion: null })),
    );
  }
  const parsed = toValue(document);
  if ("message" in parsed) {
    return failed([{ file, line: 1, column: 1, key: "", message: parsed.message, suggestion: null }]);
  }
  const result = schema.safeParse(parsed.value ?? {});
  if (result.success) return { content: result.data, problems: [], placeOf };
  const checked = { value: parsed.value, keys: jsonSchemaOf(schema) };
  const findings = result.error.issues.flatMap((issue) => findingsOf(issue, [], checked));
  return failed(
    findings
      .map(({ path, ...said }) => ({ file, ...placeOf(path), key: path.map(String).join("."), ...said }))
      .sort((a, b) => a.line - b.line || a.column - b.column),
  );
}

function toValue(document: Document): { readonly value: unknown } | { readonly message: string } {
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    return { message: (error as Error).message };
  }
}

/** Returns the position of the key, or of the last part of the path that exists. */
function offsetOf({ contents }: Document, path: readonly PropertyKey[]): number {
  let offset = contents?.range?.[0] ?? 0;
  let node: unknown = contents;
  for (const name of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(name));
      if (!isPair(pair)) return offset;
      offset = (pair.key as Node | null)?.range?.[0] ?? offset;
      node = pair.value;
    } else {
      const items = (node as { readonly items?: readonly unknown[] } | null)?.items;
      node = items?.[Number(name)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    }
  }
  return offset;
}

interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly suggestion: string | null;
}

type Issue = z.core.$ZodIssue;

interface CheckedValue {
  readonly value: unknown;
  /** The schema that has the keys to suggest. */
  readonly keys: JsonSchema;
}

function findingsOf(issue: Issue, before: readonly PropertyKey[], checked: CheckedValue): SchemaIssue[] {
  const { value: whole } = checked;
  const path = [...before, ...issue.path];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `there is no key ${shown(key)}${path.length === 0 ? "" : ` in ${path.map(String).join(".")}`}`,
        suggestion: meantKey(key, path, { ...checked, value: valueAt(whole, [...path, key]) }),
      }));
    case "invalid_key":
      return [{ path, message: keyMessage(path), suggestion: keySuggestion(path) }];
    case "invalid_value": {
      const value = valueAt(whole, path);
      const values = issue.values.map(String);
      return [
        {
          path,
          message: `${shown(value)} is not one of ${values.join(", ")}`,
          suggestion: typeof value === "string" ? nearest(value, values) : null,
        },
      ];
    }
    case "invalid_type":
      return [{ path, message: `it must be ${typeName(issue.expected)}`, suggestion: null }];
    case "invalid_union":
      return branchOf(issue.errors, valueAt(whole, path)).flatMap((one) => findingsOf(one, path, checked));
    case "invalid_format":
      return [{ path, message: `${shown(valueAt(whole, path))} is not allowed here`, suggestion: null }];
    default:
      return [{ path, message: issue.message, suggestion: null }];
  }
}

/**
 * Returns the alternative that is a map if the value is a map; otherwise the first alternative, which accepts a word.
 */
function branchOf(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] {
  return (typeof value === "object" && value !== null ? branches.at(-1) : branches[0]) ?? [];
}

/** Keys of other programs, each with the key that means the same here. */
const WORDS_OF_OTHERS: Readonly<Record<string, string>> = { provider: "agent", providers: "agents" };

/** Suggests a similar key of this map, or else of another map, followed by a key of the value that exists there. */
function meantKey(key: string, path: readonly PropertyKey[], { value, keys }: CheckedValue): string | null {
  const lastOf = (one: string): string => one.split(".").at(-1) ?? "";
  const word = entryOf(WORDS_OF_OTHERS, key.toLowerCase()) ?? lastOf(key);
  const here = nearest(word, keysAt(path, keys));
  if (here !== null) return here;
  const every = everyKey(keys);
  const near = nearest(word, every.map(lastOf));
  const elsewhere = every.find((one) => lastOf(one) === near);
  if (elsewhere === undefined) return null;
  const below = Object.keys(Object(value)).map((inner) => `${elsewhere}.${inner}`);
  const whole = below.find((one) => every.includes(one)) ?? elsewhere;
  return whole.replace("*", String(path[1] ?? "NAME"));
}

/** The names that a map can have, by the key of the map; in all other maps they are those of agents. */
const NAMES_IN: Readonly<Record<string, string>> = {
  env: "a variable",
  headers: "a header",
  mcpServers: "an MCP server: use letters, digits, hyphens and underscores",
  servers: "an MCP server: use letters, digits, hyphens and underscores",
};
const AGENT_NAME = "an agent: use lower-case letters, digits and hyphens, beginning with a letter";

function keyMessage(path: readonly PropertyKey[]): string {
  const named = entryOf(NAMES_IN, String(path.at(-2))) ?? AGENT_NAME;
  return `${shown(path.at(-1))} cannot be the name of ${named}`;
}

function keySuggestion(path: readonly PropertyKey[]): string | null {
  const key = String(path.at(-1))
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^[^a-z]+|-+$/gu, "");
  return entryOf(NAMES_IN, String(path.at(-2))) !== undefined || key === "" ? null : key.slice(0, 40);
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  int: "a whole number",
  number: "a number",
  array: "a list",
  object: "a map of keys",
  record: "a map of keys",
};

function typeName(expected: string): string {
  return TYPE_NAMES[expected] ?? expected;
}

function valueAt(whole: unknown, path: readonly PropertyKey[]): unknown {
  let value = whole;
  for (const name of path) {
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined;
  }
  return value;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= MAX_SHOWN_CHARS ? text : `${cutText(text, MAX_SHOWN_CHARS)}…`;
}
