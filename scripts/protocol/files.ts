/** The files in `protocol/`, made from the types and tables of the source. */

import { present } from "@continuo/core/model";
import {
  CHANNEL_LIMITS,
  CLOSE,
  FINAL_CODES,
  LIVE_SUBPROTOCOL,
  PROTOCOL_VERSION,
  SUBPROTOCOL,
} from "@continuo/core/wire";
import { eventDefs } from "./event-schemas.ts";
import { openTypeSchemas, type Schema, type TypeSchemas } from "./type-schemas.ts";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The definitions of a channel, with the frames first and their parts after them. */
const CHANNEL_TYPES: readonly string[] = ["ClientFrame", "ServerFrame", "ClaimedInput", "HistoryItem"];
const CHANNEL_DATA: readonly string[] = [
  "MessageSent",
  "MessageStreamed",
  "MessageUpdated",
  "MessageCompleted",
  "MessageInterrupted",
  "MessageEdited",
  "MessageDeleted",
  "ReactionAdded",
  "ReactionRemoved",
  "MethodCalled",
  "MethodAnswered",
  "MethodCancelled",
  "ErrorRaised",
];

/** The text of each file by its path. */
export function protocolFiles(): Readonly<Record<string, string>> {
  using types = openTypeSchemas();
  const made: Readonly<Record<string, object>> = {
    "protocol/channel.json": channel(types),
    "protocol/live.json": live(types),
    "protocol/http.json": http(types),
    "protocol/events.json": events(types),
    "protocol/constants.json": constants(),
  };
  return Object.fromEntries(Object.entries(made).map(([path, value]) => [path, `${toText(value)}\n`]));
}

function channel(types: TypeSchemas): Schema {
  return {
    $schema: DIALECT,
    title: "Frames of a channel",
    description:
      "ClientFrame is what a client sends over /v1/channels/NAME/ws, ServerFrame what it receives, each as one text message. Receivers ignore keys, and clients ignore frames and codes, that are not listed. Lengths are UTF-16 units. PROTOCOL.md says when each frame is sent.",
    $defs: {
      ...types.defsOf("packages/core/src/wire/channel-frames.ts", CHANNEL_TYPES),
      ...types.defsOf("packages/core/src/wire/channel-data.ts", CHANNEL_DATA),
    },
  };
}

function live(types: TypeSchemas): Schema {
  return {
    $schema: DIALECT,
    title: "Frames of a continuous session",
    description:
      "LiveClientFrame is what a client sends over /v1/live/KEY/ws, LiveServerFrame what it receives.",
    $defs: types.defsOf("packages/core/src/wire/live-frames.ts", ["LiveClientFrame", "LiveServerFrame"]),
  };
}

/** `endpoints` holds a schema for each body, by endpoint. */
function http(types: TypeSchemas): Schema {
  const { Endpoints, ...defs } = types.defsOf("scripts/protocol/endpoints.ts", ["Endpoints"]);
  const byEndpoint = Endpoints?.properties as Readonly<Record<string, Schema>>;
  const endpoints = Object.entries(byEndpoint).map(([name, { properties }]) => [
    name,
    flat(properties as Schema),
  ]);
  return {
    $schema: DIALECT,
    title: "Bodies over HTTP",
    description:
      "`endpoints` has for each endpoint the schema of the body that is sent, of the answer, and of the data of each server-sent event by its name. `content` is the media type of an answer that is not JSON (`none`: the status 204), and `error` the body of a refusal; `*` has that of all other endpoints.",
    endpoints: Object.fromEntries(endpoints),
    $defs: defs,
  };
}

/** The events of a stream by name, and the media type of `content`, without the schemas around them. */
function flat({ events: pushed, content, ...bodies }: Schema): Schema {
  const named = pushed as { readonly properties: Schema } | undefined;
  const media = content as { readonly const: string } | undefined;
  return { ...bodies, ...present({ events: named?.properties, content: media?.const }) };
}

function events(types: TypeSchemas): Schema {
  const envelope = types.defsOf("packages/core/src/model/index.ts", ["StoredEvent", "Role"]);
  return {
    $schema: DIALECT,
    title: "Events of a log",
    description:
      "Event is any event of a log; a type of event has the schema of its data under its name. docs/events.md describes the types.",
    $ref: "#/$defs/Event",
    $defs: eventDefs(envelope),
  };
}

function constants(): object {
  return {
    protocol: PROTOCOL_VERSION,
    subprotocol: SUBPROTOCOL,
    liveSubprotocol: LIVE_SUBPROTOCOL,
    closeCodes: CLOSE,
    finalCodes: FINAL_CODES,
    limits: CHANNEL_LIMITS,
  };
}

const LINE_WIDTH = 110;

/** JSON with lists of words on one line where they fit, as the formatter of the project writes it. */
export function toText(value: unknown, indent = "", before = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => toText(item, deeper, deeper.length));
    const line = `[${items.join(", ")}]`;
    if (!line.includes("\n") && before + line.length <= LINE_WIDTH) return line;
    return `[\n${items.map((item) => `${deeper}${item}`).join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  const lines = entries.map(([key, inner]) => {
    const lead = `${deeper}${JSON.stringify(key)}: `;
    return `${lead}${toText(inner, deeper, lead.length)}`;
  });
  return `{\n${lines.join(",\n")}\n${indent}}`;
}
