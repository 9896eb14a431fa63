/** The schemas in `protocol/` as checks: each returns the fault in a frame, an event or a body. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "@modelcontextprotocol/server/validators/ajv";
import { DATA_TYPES } from "../../scripts/protocol/page.ts";

const FOLDER = join(import.meta.dirname, "../../protocol");

type Schema = Readonly<Record<string, unknown>>;

/** Returns the fault in the value, or an empty text if the value is valid. */
export type Check = (value: unknown) => string;

interface SchemaFile {
  readonly endpoints?: Readonly<Record<string, Schema>>;
  readonly $defs: Readonly<Record<string, Schema>>;
}

export function readSchemas(name: "channel" | "live" | "http" | "events"): SchemaFile {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as SchemaFile;
}

const files = new Map<string, SchemaFile>();
const checks = new Map<string, Check>();

/** @param pointer the place of the schema in its file, such as `$defs/ClientFrame` */
export function checkOf(name: "channel" | "live" | "http" | "events", pointer: string): Check {
  const key = `${name}#/${pointer}`;
  let check = checks.get(key);
  if (check === undefined) {
    const file = files.get(name) ?? readSchemas(name);
    files.set(name, file);
    check = compile({ $ref: `#/${pointer}`, $defs: file.$defs, endpoints: file.endpoints ?? {} });
    checks.set(key, check);
  }
  return check;
}

/**
 * @param endpoint a name of `scripts/protocol/endpoints.ts`, such as `GET /v1/sessions/ID`
 * @param part `body`, `answer`, `error`, or `events/NAME`
 */
export function checkOfEndpoint(endpoint: string, part: string): Check {
  const pointer = `endpoints/${endpoint.replaceAll("~", "~0").replaceAll("/", "~1")}/${part}`;
  return checkOf("http", encodeURI(pointer).replaceAll("?", "%3F"));
}

function compile(schema: Schema): Check {
  const ajv = new Ajv({ strict: false, allErrors: false, unicodeRegExp: true });
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? "" : ajv.errorsText(validate.errors));
}

/** Returns the fault in a frame of a server, or in the data of the event in it. */
export function problemOfServerFrame(frame: Readonly<Record<string, unknown>>): string {
  const problem = checkOf("channel", "$defs/ServerFrame")(frame);
  if (problem !== "" || frame.type !== "event") return problem;
  const { type, data } = frame.event as { readonly type: string; readonly data: unknown };
  const name = DATA_TYPES[type];
  return name === undefined ? "" : checkOf("channel", `$defs/${name}`)(data);
}
