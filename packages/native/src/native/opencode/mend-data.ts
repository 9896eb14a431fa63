/**
 * Messages and parts that lack what opencode needs of them: one without its `time` ends every turn of its session with
 * an error (1.18.33). A lost field is taken from the row, from the messages before, or gets the value that opencode
 * itself writes if it knows nothing. Pure.
 */

import { isJson, type Json, textField } from "@continuo/files";
import { numberField, objectField } from "./records.ts";

export interface MendedData {
  /** `null` for a part without content apart from the lost field. */
  readonly data: Json | null;
  /** The fields that were lost; empty if the data does not change. */
  readonly lost: readonly string[];
}

/**
 * The reason why opencode cannot continue a session with the message, or leaves out its content; `null` if nothing is
 * wrong. If only other fields are missing that `mendInfo` and `mendPart` fill in, opencode continues the session, but
 * does not import a copy of it.
 */
export function resumeFlawOf({ data, lost }: MendedData): string | null {
  if (data === null) return `it lacks ${lost.join("; ")}`;
  const needed = lost.filter((key) => isNeeded(key, data));
  return needed.length === 0 ? null : `it lacks ${needed.join("; ")}`;
}

/** A lost time matters only in a message, not in a part. */
function isNeeded(lost: string, data: Json): boolean {
  if (lost === "time") return data.role !== undefined;
  return NEEDED.has(lost.replace(/,.*/u, ""));
}

const NEEDED: ReadonlySet<string> = new Set([
  ...["its data", "role", "model", "type", "text"],
  ...["state.status", "state.output", "state.error", "state.input"],
]);

/** The facts about the next message that those before it give. */
export interface PrecedingMessages {
  readonly directory: string;
  /** The id of the last prompt. */
  readonly promptId: string;
  /** `providerID` and `modelID`; `null` if none is known. */
  readonly model: Json | null;
}

/** @param types of the message's parts, which show its author. */
export function mendInfo(given: unknown, row: Json, { types, before }: AroundMessage): MendedData {
  if (!isJson(given)) {
    const { data } = mendKnown({}, row, { types, before });
    return { data: data?.role === "assistant" ? { ...data, ...before.model } : data, lost: ["its data"] };
  }
  // An unknown role may be one of a newer version.
  if (typeof given.role === "string" && given.role !== "user" && given.role !== "assistant") {
    return { data: given, lost: [] };
  }
  return mendKnown(given, row, { types, before });
}

interface AroundMessage {
  readonly types: readonly unknown[];
  readonly before: PrecedingMessages;
}

function mendKnown(info: Json, row: Json, { types, before }: AroundMessage): MendedData {
  const lost: string[] = [];
  const role = info.role === "user" || info.role === "assistant" ? info.role : roleIn(info, types);
  const need = needs(info, lost);
  const created = numberField(objectField(info, "time"), "created");
  const time = Number.isNaN(created)
    ? need("time", false, { ...objectField(info, "time"), created: numberField(row, "time_created") || 0 })
    : {};
  const agent = need("agent", isText(info.agent), "build");
  const roles = need("role", role === info.role, role);
  if (role === "user") {
    const model = before.model ?? undefined;
    const named = namesModel(objectField(info, "model"));
    const chosen = named || model === undefined ? {} : need("model", false, model);
    return { data: { ...info, ...roles, ...time, ...agent, ...chosen }, lost };
  }
  const tokens = objectField(info, "tokens");
  const cache = objectField(tokens, "cache");
  const isCounted = [tokens.input, tokens.output, tokens.reasoning, cache.read, cache.write].every(isNumber);
  const path = objectField(info, "path");
  const data = {
    ...info,
    ...roles,
    ...time,
    ...agent,
    ...need("parentID", isText(info.parentID), before.promptId),
    ...need("mode", isText(info.mode), "build"),
    ...need("path", isText(path.cwd) && isText(path.root), { cwd: before.directory, root: before.directory }),
    ...need("cost", isNumber(info.cost), 0),
    ...need("tokens", isCounted, NO_TOKENS),
    ...need("modelID", isText(info.modelID), UNKNOWN),
    ...need("providerID", isText(info.providerID), UNKNOWN),
  };
  return { data, lost };
}

/** opencode treats an answer of an unknown model, like an answer without a model, as one of another model. */
const UNKNOWN = "unknown";

const NO_TOKENS: Json = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** Only answers have these fields; anything else is a prompt. */
function roleIn(info: Json, types: readonly unknown[]): "user" | "assistant" {
  const isAnswer =
    isText(info.parentID) ||
    isJson(info.tokens) ||
    isText(info.modelID) ||
    types.some((type) => ["tool", "reasoning", "step-start", "step-finish"].includes(String(type)));
  return isAnswer ? "assistant" : "user";
}

/** The model that a message names; `null` for none. */
export function modelIn(info: Json): Json | null {
  const named = info.role === "user" ? objectField(info, "model") : info;
  return namesModel(named) ? { providerID: named.providerID, modelID: named.modelID } : null;
}

function namesModel(named: Json): boolean {
  return isText(named.providerID) && isText(named.modelID);
}

/** @param row the row of the part; unknown kinds do not change. */
export function mendPart(data: Json, row: Json, others: readonly unknown[] = []): MendedData {
  const lost: string[] = [];
  const type = textField(data, "type") ?? typeIn(data, others);
  if (type === null) return { data: null, lost: ["type"] };
  const need = needs(data, lost);
  const named = { ...data, ...need("type", type === data.type, type) };
  const start = numberField(row, "time_created") || 0;
  switch (type) {
    case "text":
    case "reasoning": {
      if (!isText(data.text) && !isNumber(data.text)) return { data: null, lost: ["text"] };
      const text = need("text", isText(data.text), String(data.text));
      const isTimed = type === "text" ? data.time === undefined : false;
      const time =
        isTimed || isNumber(objectField(data, "time").start)
          ? {}
          : need("time", false, { start, end: start });
      return { data: { ...named, ...text, ...time }, lost };
    }
    case "file":
      return isText(data.mime) && isText(data.url) ? { data: named, lost } : { data: null, lost: ["url"] };
    case "tool":
      return mendCall(named, { lost, start });
    default:
      return { data: named, lost };
  }
}

/** @param others the types of the other parts; in an answer that already has a text, this part is a thought. */
function typeIn(data: Json, others: readonly unknown[]): string | null {
  if (isText(data.callID) && isJson(data.state)) return "tool";
  if (isText(data.mime) && isText(data.url)) return "file";
  if (!isText(data.text)) return null;
  return others.includes("step-start") && others.includes("text") ? "reasoning" : "text";
}

interface DataRepair {
  readonly lost: string[];
  readonly start: number;
}

function mendCall(part: Json, { lost, start }: DataRepair): MendedData {
  const { callID, tool } = part;
  if (!isText(callID) || !isText(tool)) return { data: null, lost: [isText(tool) ? "callID" : "tool"] };
  const state = objectField(part, "state");
  const { status } = state;
  if (status === "running" || status === "pending") return { data: part, lost };
  const own: string[] = [];
  const need = needs(state, own);
  const isFailed = status === "error" || (status !== "completed" && isText(state.error));
  const time = objectField(state, "time");
  const isTimed = isNumber(time.start) && isNumber(time.end);
  const given = {
    ...state,
    ...need("input", isJson(state.input), {}),
    ...(isTimed ? {} : need("time", false, { start, end: start, ...numbersIn(time) })),
  };
  const ended = isFailed
    ? { ...need("status", status === "error", "error"), ...need("error", isText(state.error), "") }
    : {
        ...need("status", status === "completed", "completed"),
        // The reader also passes every intact call, whose output may be long: no JSON is made of that output.
        ...need("output", isText(state.output), isText(state.output) ? "" : outputIn(state)),
        ...need("title", isText(state.title), ""),
        ...need("metadata", isJson(state.metadata), {}),
      };
  if (own.length === 0) return { data: part, lost };
  lost.push(...own.map((key) => `state.${key}`));
  return { data: { ...part, state: { ...given, ...ended } }, lost };
}

function outputIn({ output }: Json): string {
  return output === undefined || output === null ? "" : JSON.stringify(output);
}

function numbersIn(time: Json): Json {
  return Object.fromEntries(Object.entries(time).filter(([, value]) => isNumber(value)));
}

function needs(record: Json, lost: string[]): (key: string, isSound: boolean, value: unknown) => Json {
  return (key, isSound, value) => {
    if (isSound) return {};
    lost.push((record[key] ?? null) === null ? key : `${key}, which has another form`);
    return { [key]: value };
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
