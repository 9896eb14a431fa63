/** The generated parts of `PROTOCOL.md`: every frame with its keys and an example, values, codes and limits. Pure. */

import { CHANNEL_LIMITS, CLOSE, FINAL_CODES } from "@continuo/core/wire";
import { withSection } from "../section.ts";
import type { Schema } from "./type-schemas.ts";

export interface ProtocolSources {
  /** The content of `protocol/channel.json`. */
  readonly channel: { readonly $defs: Readonly<Record<string, Schema>> };
  /** The content of `protocol/examples.json`: a conversation with a real server. */
  readonly examples: readonly ExampleStep[];
}

export interface ExampleStep {
  readonly who: string;
  readonly sends?: Frame;
  readonly receives?: Frame;
}

type Frame = Readonly<Record<string, unknown>>;
type Defs = ProtocolSources["channel"]["$defs"];

const FRAMES = { begin: "<!-- frames: written by scripts/docs.ts -->", end: "<!-- end of frames -->" };
const CODES = { begin: "<!-- codes: written by scripts/docs.ts -->", end: "<!-- end of codes -->" };

export function withFrames(document: string, { channel, examples }: ProtocolSources): string {
  const defs = channel.$defs;
  const client = framesOf(defs, "ClientFrame").map((name) => frameSection(defs, name, sent(examples)));
  const server = framesOf(defs, "ServerFrame").map((name) => frameSection(defs, name, received(examples)));
  const text = [
    "### From the client\n",
    ...client,
    "### From the server\n",
    ...server,
    "### Data of events\n",
    ...Object.entries(DATA_TYPES).map(([type, name]) => dataSection(defs, { type, name }, examples)),
    "### Objects in frames\n",
    ...OBJECTS.map((name) => objectSection(defs, name)),
    "### Values in frames\n",
    valueTable(defs),
  ].join("\n");
  return withSection(withSection(document, FRAMES, text), CODES, codes());
}

/** The type of the data of each event. */
export const DATA_TYPES: Readonly<Record<string, string>> = {
  message_sent: "MessageSent",
  message_streamed: "MessageStreamed",
  message_updated: "MessageUpdated",
  message_completed: "MessageCompleted",
  message_interrupted: "MessageInterrupted",
  message_edited: "MessageEdited",
  message_deleted: "MessageDeleted",
  reaction_added: "ReactionAdded",
  reaction_removed: "ReactionRemoved",
  method_called: "MethodCalled",
  method_answered: "MethodAnswered",
  method_cancelled: "MethodCancelled",
  error_raised: "ErrorRaised",
};

const OBJECTS: readonly string[] = [
  "WireEvent",
  "Actor",
  "Participant",
  "ParticipantSession",
  "Attachment",
  "Tombstone",
  "HistoryItem",
  "ClaimedInput",
];

const VALUES: readonly string[] = [
  "Sequence",
  "Count",
  "Milliseconds",
  "Id",
  "Name",
  "MessageText",
  "DisplayName",
  "ParticipantType",
  "Reaction",
  "Hash",
  "Timestamp",
];

/** The names of all frames of a union, in their order. */
function framesOf(defs: Defs, name: string): readonly string[] {
  const { anyOf, allOf, properties } = defs[name] ?? {};
  if (properties !== undefined) return [name];
  const parts = (anyOf ?? allOf ?? []) as readonly Schema[];
  return parts.flatMap((part) => {
    if (typeof part.$ref === "string") return framesOf(defs, nameIn(part));
    return ((part.anyOf ?? []) as readonly Schema[]).flatMap((inner) => framesOf(defs, nameIn(inner)));
  });
}

function nameIn({ $ref }: Schema): string {
  return String($ref).split("/").at(-1) ?? "";
}

type Find = (type: string) => readonly Frame[];

function sent(examples: readonly ExampleStep[]): Find {
  return (type) => ofTwoShapes(examples.flatMap(({ sends = {} }) => (sends.type === type ? [sends] : [])));
}

function received(examples: readonly ExampleStep[]): Find {
  return (type) =>
    ofTwoShapes(examples.flatMap(({ receives = {} }) => (receives.type === type ? [receives] : [])));
}

/** Returns the first example, and the first one that has other keys. */
function ofTwoShapes([first, ...others]: readonly Frame[]): readonly Frame[] {
  if (first === undefined) return [];
  const shape = (frame: Frame): string => Object.keys(frame).join();
  const other = others.find((frame) => shape(frame) !== shape(first));
  return other === undefined ? [first] : [first, other];
}

function frameSection(defs: Defs, name: string, find: Find): string {
  const def = defs[name] ?? {};
  const properties = def.properties as Readonly<Record<string, Schema>>;
  const type = String(properties.type?.const);
  const examples = find(type);
  const [example] = examples;
  if (example === undefined) throw new Error(`protocol/examples.json has no frame ${type}`);
  const isRequest = "request" in example && !("request" in properties);
  const more = isRequest ? ["| `request` | Count | the number of the request |"] : [];
  return [
    `#### \`${type}\`\n`,
    `${String(def.description ?? "")}\n`,
    "```json",
    ...examples.map((one) => JSON.stringify(one)),
    "```\n",
    ...keyTable(defs, def, more),
  ].join("\n");
}

function dataSection(
  defs: Defs,
  { type, name }: { readonly type: string; readonly name: string },
  examples: readonly ExampleStep[],
): string {
  const def = defs[name] ?? {};
  const events = examples.map(({ receives }) => receives?.event as Frame | undefined);
  const event = events.find((one) => one?.type === type);
  const example = event === undefined ? [] : ["```json", JSON.stringify(event.data), "```\n"];
  return [`#### ${String(def.description)}\n`, ...example, ...keyTable(defs, def, [])].join("\n");
}

function objectSection(defs: Defs, name: string): string {
  const def = defs[name] ?? {};
  const variants = (def.anyOf ?? [def]) as readonly Schema[];
  const about = def.description === undefined ? [] : [`${String(def.description)}\n`];
  return [`#### ${name}\n`, ...about, ...variants.flatMap((variant) => keyTable(defs, variant, []))].join(
    "\n",
  );
}

function keyTable(defs: Defs, { properties = {}, required = [] }: Schema, more: readonly string[]): string[] {
  const keys = Object.entries(properties as Readonly<Record<string, Schema>>);
  const rows = keys
    .filter(([key, schema]) => !(key === "type" && "const" in schema))
    .map(([key, schema]) => {
      const isOptional = !(required as readonly string[]).includes(key);
      const about = schema.description ?? wordsOf(defs, schema);
      return `| \`${key}\`${isOptional ? " (optional)" : ""} | ${typeIn(defs, schema)} | ${about} |`;
    });
  if (rows.length + more.length === 0) return [];
  return ["| key | value | |", "|---|---|---|", ...more, ...rows, ""];
}

/** Returns the description of a union of words, if the key has none itself. */
function wordsOf(defs: Defs, schema: Schema): string {
  const def = schema.$ref === undefined ? undefined : defs[nameIn(schema)];
  return def !== undefined && isWords(def) ? String(def.description ?? "") : "";
}

/** True for a choice of texts, which is shown where it is used. */
function isWords(schema: Schema): boolean {
  return (
    schema.enum !== undefined || (schema.anyOf as readonly Schema[] | undefined)?.[0]?.enum !== undefined
  );
}

function typeIn(defs: Defs, schema: Schema): string {
  const { $ref, anyOf, items, type, properties, maxLength, maxItems, minimum, maximum } = schema;
  const list = (schemas: unknown): readonly string[] =>
    (schemas as readonly Schema[]).map((one) => typeIn(defs, one));
  if ("const" in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) {
    return (schema.enum as readonly unknown[]).map((one) => `\`${JSON.stringify(one)}\``).join(", ");
  }
  if (anyOf !== undefined) return list(anyOf).join(" or ");
  if (items !== undefined) {
    return `list of ${typeIn(defs, items as Schema)}${maxItems === undefined ? "" : `, at most ${maxItems}`}`;
  }
  if ($ref !== undefined) {
    const name = nameIn(schema);
    const def = defs[name] ?? {};
    if (name === "ErrorCode") return "[a code](docs/errors.md)";
    if (isWords(def)) return typeIn(defs, def);
    if (!OBJECTS.includes(name) && !VALUES.includes(name)) return `[${name}](protocol/channel.json)`;
    return minimum === undefined ? name : `${name}, ${minimum} to ${maximum}`;
  }
  if (properties !== undefined) {
    const inner = Object.entries(properties as Readonly<Record<string, Schema>>);
    return `{ ${inner.map(([key, value]) => `\`${key}\`: ${typeIn(defs, value)}`).join(", ")} }`;
  }
  if (type === undefined) return "any JSON";
  return `${String(type)}${maxLength === undefined ? "" : `, at most ${maxLength}`}`;
}

function valueTable(defs: Defs): string {
  const rows = VALUES.map((name) => {
    const { description = "", ...schema } = defs[name] ?? {};
    const { $ref: _, pattern, type, ...limits } = schema;
    const rules = Object.entries(limits).map(([key, value]) => `${key} ${String(value)}`);
    const shape = pattern === undefined ? [] : [`\`${String(pattern)}\``];
    return `| ${name} | ${String(type)} | ${String(description)} | ${[...rules, ...shape].join(", ")} |`;
  });
  return ["| value | JSON | | limits |", "|---|---|---|---|", ...rows, ""].join("\n");
}

const CLOSE_CODES: Readonly<Record<keyof typeof CLOSE, string>> = {
  refused: "the server, after an `error` without a `request`. Its code says whether to come again",
  protocol: "the client, to a server that sent something that is no frame. It comes again",
  slow: "the server, after `catch_up`. The client comes again",
  draining: "the server, after `bye`. The client comes again after `retryMs`",
  tooLarge:
    "the server, after a frame that was larger than it reads. The client comes again, and gives up its longest request",
  gone: "the server: another connection of the same `instance` has the handle, or its lease was lost. The client comes again, unless an `error` before was final",
};

const LIMITS: Readonly<Record<keyof typeof CHANNEL_LIMITS, string>> = {
  idLength: "characters of an id",
  nameLength: "characters of a name of a channel, handle, device or workspace",
  tokenLength: "characters of a token",
  displayNameLength: "characters of the name that people see",
  typeLength: "characters of a type of participants",
  capabilities: "capabilities of a participant",
  capabilitiesLength: "characters of all its capabilities together",
  frameBytes: "bytes of a frame, in either direction",
  messageLength: "characters of a message, with all its parts",
  runIdLength: "characters of the id of a run",
  callLength: "characters of the arguments of a call, and of a result, as JSON",
  addressees: "handles that one message addresses",
  attachments: "attachments of one message",
  openMessages: "messages that one participant has in progress",
  reactionLength: "characters of a reaction",
  reactions: "reactions of one participant to one message",
  devices: "devices of a person in one channel",
  heartbeatMs: "milliseconds between two heartbeats",
  silenceMs: "milliseconds of silence after which a side ends the connection",
  reconnectMs: "milliseconds that a handle waits for its participant after a lost connection",
  helloMs: "milliseconds from the opening of the socket to its `hello`",
  historyItems: "messages that one `history` asks for",
};

function codes(): string {
  const closing = Object.entries(CLOSE) as readonly (readonly [keyof typeof CLOSE, number])[];
  const limits = Object.entries(CHANNEL_LIMITS) as readonly (readonly [
    keyof typeof CHANNEL_LIMITS,
    number,
  ])[];
  return [
    `An \`error\` without a \`request\` is final with one of these codes: ${FINAL_CODES.map((code) => `\`${code}\``).join(", ")}.`,
    "After any other code the client comes again. [docs/errors.md](docs/errors.md) says what each code means.",
    "",
    "| close code | who closes, and what follows |",
    "|---|---|",
    "| 1000 | the server, after `close` of the client; the client, when it leaves |",
    ...closing.toSorted(([, a], [, b]) => a - b).map(([name, code]) => `| ${code} | ${CLOSE_CODES[name]} |`),
    "| any other, or none | the connection was lost. The client comes again |",
    "",
    "| limit | of |",
    "|---|---|",
    ...limits.map(([name, value]) => `| ${value} | ${LIMITS[name]} |`),
    "",
    "Characters are UTF-16 units. What is longer is refused with `too_large` or `invalid`.",
    "",
  ].join("\n");
}
