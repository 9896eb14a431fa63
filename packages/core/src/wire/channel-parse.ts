/** Parses frames from untrusted senders. Errors: `invalid`, `too_large`. */

import { type Block, ContinuoError, present } from "../model/index.ts";
import { assertName, isId } from "./channel-address.ts";
import type { Attachment } from "./channel-data.ts";
import { isRecord } from "./channel-events.ts";
import type { ClientFrame, HelloFrame, ReplayMode, ServerFrame } from "./channel-frames.ts";
import { LIMITS } from "./channel-limits.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Errors: `invalid`, `too_large`. Keys that the protocol does not know are ignored. */
export function parseClientFrame(text: string): ClientFrame {
  const fields = parseObject(text);
  const parse = Object.hasOwn(CLIENT_FRAMES, String(fields.type))
    ? CLIENT_FRAMES[fields.type as ClientFrame["type"]]
    : undefined;
  if (parse === undefined) throw invalid(`there is no frame of the type ${shown(fields.type)}`);
  return parse(fields);
}

/** Checks only the shape of a server's frame; a type that only a newer server knows gives `null`. Errors: `invalid`. */
export function parseServerFrame(text: string): ServerFrame | null {
  const fields = parseObject(text);
  if (!SERVER_FRAMES.has(String(fields.type))) return null;
  if (fields.type === "event" && !(isSequence(fields.after) && isRecord(fields.event))) {
    throw invalid("the frame of an event has no event");
  }
  return fields as unknown as ServerFrame;
}

const SERVER_FRAMES: ReadonlySet<string> = new Set<ServerFrame["type"]>([
  "hello",
  "event",
  "ready",
  "presence",
  "session",
  "ok",
  "error",
  "heartbeat",
  "catch_up",
  "bye",
]);

type Parser = (fields: Fields) => ClientFrame;

const CLIENT_FRAMES: Readonly<Record<ClientFrame["type"], Parser>> = {
  hello: parseHello,
  heartbeat: () => ({ type: "heartbeat" }),
  pause: () => ({ type: "pause" }),
  resume: ({ after }) => ({ type: "resume", after: sequenceOf("after", after) }),
  close: () => ({ type: "close" }),
  send: (fields) => {
    const { state, replyTo, to, attachments } = fields;
    if (state !== undefined && state !== "open")
      throw invalid("the state of a message must be `open` or absent");
    return {
      type: "send",
      ...posted(fields),
      content: state === "open" ? textOf("content", fields.content, LIMITS.messageLength) : contentOf(fields),
      ...present({
        state,
        to: to === undefined ? undefined : handlesOf(to),
        replyTo: replyTo === undefined ? undefined : idOf("replyTo", replyTo),
        attachments: attachments === undefined ? undefined : attachmentsOf(attachments),
      }),
    };
  },
  append: (fields) => ({
    type: "append",
    ...posted(fields),
    messageId: idOf("messageId", fields.messageId),
    delta: textOf("delta", fields.delta, LIMITS.messageLength),
  }),
  replace: (fields) => ({
    type: "replace",
    ...posted(fields),
    messageId: idOf("messageId", fields.messageId),
    content: textOf("content", fields.content, LIMITS.messageLength),
  }),
  complete: (fields) => ({ type: "complete", ...posted(fields), ...whole(fields) }),
  edit: (fields) => ({ type: "edit", ...posted(fields), ...whole(fields) }),
  delete: (fields) => ({
    type: "delete",
    ...posted(fields),
    messageId: idOf("messageId", fields.messageId),
    ...present({
      reason: fields.reason === undefined ? undefined : textOf("reason", fields.reason, LIMITS.idLength),
    }),
  }),
  react: (fields) => ({
    type: "react",
    ...posted(fields),
    messageId: idOf("messageId", fields.messageId),
    reaction: reactionOf(fields.reaction),
    change: changeOf(fields.change),
  }),
  call: (fields) => ({
    type: "call",
    ...posted(fields),
    to: assertName("handle", fields.to),
    method: idOf("method", fields.method),
    args: jsonOf("args", fields.args),
  }),
  answer: (fields) => ({
    type: "answer",
    ...posted(fields),
    callId: idOf("callId", fields.callId),
    value: jsonOf("value", fields.value),
    done: fields.done === true,
  }),
  cancel: (fields) => ({
    type: "cancel",
    ...posted(fields),
    callId: idOf("callId", fields.callId),
    reason: textOf("reason", fields.reason, LIMITS.idLength),
  }),
  received: (fields) => ({ type: "received", ...requested(fields), ...sequenced(fields) }),
  commit: (fields) => ({ type: "commit", ...requested(fields), ...sequenced(fields) }),
  sdk_session: (fields) => ({
    type: "sdk_session",
    ...requested(fields),
    sdkSessionId: fields.sdkSessionId === null ? null : idOf("sdkSessionId", fields.sdkSessionId),
  }),
  store: (fields) => ({
    type: "store",
    ...posted(fields),
    role: idOf("role", fields.role),
    content: textOf("content", fields.content, LIMITS.messageLength),
  }),
  history: (fields) => ({ type: "history", ...requested(fields), limit: limitOf(fields.limit) }),
  clear_history: (fields) => ({ type: "clear_history", ...posted(fields) }),
  claim: (fields) => ({
    type: "claim",
    ...requested(fields),
    ...sequenced(fields),
    agent: idOf("agent", fields.agent),
    ...present({
      maxTurns: fields.maxTurns === undefined ? undefined : sequenceOf("maxTurns", fields.maxTurns),
    }),
  }),
  end_run: (fields) => {
    const { status, answer, error } = fields;
    if (status !== "completed" && status !== "failed" && status !== "cancelled") {
      throw invalid("a run must end as completed, failed or cancelled");
    }
    return {
      type: "end_run",
      ...requested(fields),
      runId: textOf("runId", fields.runId, LIMITS.runIdLength),
      status,
      ...present({
        answer: answer === undefined ? undefined : textOf("answer", answer, LIMITS.messageLength),
        error: error === undefined ? undefined : failureOf(error),
      }),
    };
  },
};

function parseHello(fields: Fields): HelloFrame {
  const { protocol, token, handle, name, participantType, device, workspaceId, after } = fields;
  if (!isSequence(protocol)) throw invalid("the protocol of a hello must be a number");
  return present({
    type: "hello",
    protocol,
    instance: idOf("instance", fields.instance),
    after:
      after === "processed" || after === "anchor" || after === "latest" ? after : sequenceOf("after", after),
    token: token === undefined ? undefined : textOf("token", token, LIMITS.tokenLength),
    handle: handle === undefined ? undefined : assertName("handle", handle),
    name: name === undefined ? undefined : textOf("name", name, LIMITS.displayNameLength),
    participantType: participantType === undefined ? undefined : participantTypeOf(participantType),
    device: device === undefined ? undefined : assertName("device", device),
    workspaceId: workspaceId === undefined ? undefined : assertName("workspaceId", workspaceId),
    capabilities: fields.capabilities === undefined ? undefined : capabilitiesOf(fields.capabilities),
    replay: fields.replay === undefined ? undefined : replayModeOf(fields.replay),
  });
}

function replayModeOf(value: unknown): ReplayMode {
  if (value === "stream" || value === "collect" || value === "skip") return value;
  throw invalid("the replay of a hello must be `stream`, `collect` or `skip`");
}

/** Client and server both check these limits. Errors: `invalid`, `too_large`. */
export function capabilitiesOf(value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every(isId)) throw invalid("`capabilities` must be a list of names");
  if (value.length > LIMITS.capabilities || value.join("").length > LIMITS.capabilitiesLength) {
    throw tooLarge("capabilities", LIMITS.capabilities);
  }
  return value;
}

function handlesOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw invalid("`to` must be a list of handles");
  if (value.length > LIMITS.addressees) throw tooLarge("to", LIMITS.addressees);
  return value.map((handle) => assertName("handle", handle));
}

function attachmentsOf(value: unknown): readonly Attachment[] {
  if (!Array.isArray(value)) throw invalid("`attachments` must be a list");
  if (value.length > LIMITS.attachments) throw tooLarge("attachments", LIMITS.attachments);
  return value.map((item: unknown) => {
    const { blob, mimeType, name } = isRecord(item) ? item : {};
    if (typeof blob !== "string" || !/^[0-9a-f]{64}$/u.test(blob)) {
      throw invalid("the blob of an attachment must be a SHA-256 of 64 hex digits");
    }
    const named = name === undefined ? {} : { name: textOf("name", name, LIMITS.idLength) };
    return { blob, mimeType: textOf("mimeType", mimeType, LIMITS.idLength), ...named };
  });
}

function reactionOf(value: unknown): string {
  if (isId(value) && value.length <= LIMITS.reactionLength) return value;
  throw invalid(
    `a reaction must be a text of 1 to ${LIMITS.reactionLength} characters without control characters`,
  );
}

function changeOf(value: unknown): "added" | "removed" {
  if (value === "added" || value === "removed") return value;
  throw invalid("the change of a reaction must be `added` or `removed`");
}

function failureOf(value: unknown): { readonly code: string; readonly message: string } {
  const { code, message } = isRecord(value) ? value : {};
  return { code: idOf("code", code), message: textOf("message", message, LIMITS.callLength) };
}

function requested({ request }: Fields): { readonly request: number } {
  return { request: sequenceOf("request", request) };
}

function posted(fields: Fields): { readonly request: number; readonly id: string } {
  return { ...requested(fields), id: idOf("id", fields.id) };
}

function sequenced({ sequence }: Fields): { readonly sequence: number } {
  return { sequence: sequenceOf("sequence", sequence) };
}

function whole(fields: Fields): {
  readonly messageId: string;
  readonly content: string | readonly Block[];
} {
  return { messageId: idOf("messageId", fields.messageId), content: contentOf(fields) };
}

/** A text, or blocks. A block of a type that this version does not know is kept. */
function contentOf({ content }: Fields): string | readonly Block[] {
  if (!Array.isArray(content)) return textOf("content", content, LIMITS.messageLength);
  if (!content.every((block) => isRecord(block) && typeof block.type === "string")) {
    throw invalid("each block of the content must be an object with a type");
  }
  if (JSON.stringify(content).length > LIMITS.messageLength) throw tooLarge("content", LIMITS.messageLength);
  return content;
}

function limitOf(value: unknown): number {
  const limit = sequenceOf("limit", value);
  if (limit < 1 || limit > LIMITS.historyItems)
    throw invalid(`\`limit\` must be from 1 to ${LIMITS.historyItems}`);
  return limit;
}

/** Errors: `invalid`. */
export function participantTypeOf(value: unknown): string {
  return textOf("type", value, LIMITS.typeLength);
}

function textOf(what: string, value: unknown, limit: number): string {
  if (typeof value !== "string") throw invalid(`${what} must be a text`);
  if (value.length > limit) throw tooLarge(what, limit);
  return value;
}

function idOf(what: string, value: unknown): string {
  if (isId(value)) return value;
  throw invalid(`${what} must be a text of 1 to ${LIMITS.idLength} characters without control characters`);
}

function sequenceOf(what: string, value: unknown): number {
  if (isSequence(value)) return value;
  throw invalid(`${what} must be a whole number of at least 0`);
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function jsonOf(what: string, value: unknown): unknown {
  const given = value === undefined ? null : value;
  if (JSON.stringify(given).length > LIMITS.callLength) throw tooLarge(what, LIMITS.callLength);
  return given;
}

function parseObject(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ContinuoError("invalid", "a frame must be one JSON object", { cause });
  }
  if (!isRecord(value)) throw invalid("a frame must be one JSON object");
  return value;
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : typeof value;
}

function invalid(message: string): ContinuoError {
  return new ContinuoError("invalid", message, { hint: "Read PROTOCOL.md for the frames." });
}

function tooLarge(what: string, limit: number): ContinuoError {
  return new ContinuoError("too_large", `${what} is larger than ${limit}`, { details: { what, limit } });
}
