/** Checks the request of a client: a thread, its last message, and its answers to interrupts. */

import { type Block, ContinuoError } from "@continuo/core/model";
import { isId } from "@continuo/core/wire";
import { LIMITS } from "./limits.ts";

export interface RunRequest {
  readonly threadId: string;
  readonly runId: string;
  /** The ids of the messages that the client shows, in its order. */
  readonly shown: readonly string[];
  /** The last message of a user. */
  readonly question: SentQuestion | undefined;
  readonly answers: readonly InterruptAnswer[];
}

export interface SentQuestion {
  readonly id: string;
  /** Returns the blocks; it is called only if the message is new. Errors: `invalid`. */
  input(): readonly Block[];
}

export interface InterruptAnswer {
  readonly interruptId: string;
  readonly outcome: "granted" | "denied";
  readonly reason?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Errors: `invalid`, `too_large`. */
export async function readAskedRun(request: Request): Promise<RunRequest> {
  const { threadId, runId, messages, resume } = jsonOf(await textOf(request));
  const shown = listOf("messages", messages);
  const ids = shown.map(({ id }) => text("the id of a message", id));
  const last = shown.findLast(({ role }) => role === "user");
  if (last !== undefined && !isId(last.id)) {
    throw new ContinuoError("invalid", "the id of the message is too long, or has control characters");
  }
  return {
    threadId: text("threadId", threadId),
    runId: text("runId", runId),
    shown: ids,
    question: last === undefined ? undefined : { id: String(last.id), input: () => blocksOf(last.content) },
    answers: listOf("resume", resume).map(answerOf),
  };
}

async function textOf({ body }: Request): Promise<string> {
  const decoder = new TextDecoder();
  let read = "";
  let size = 0;
  for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += bytes.length;
    if (size > LIMITS.requestBytes) {
      throw new ContinuoError("too_large", `the body is larger than ${LIMITS.requestBytes} bytes`);
    }
    read += decoder.decode(bytes, { stream: true });
  }
  return read + decoder.decode();
}

function jsonOf(body: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    value = undefined;
  }
  return objectOf("the body", value);
}

function objectOf(name: string, value: unknown): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new ContinuoError("invalid", `${name} is not a JSON object`);
}

function listOf(name: string, value: unknown): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > LIMITS.listItems) {
    throw new ContinuoError("invalid", `${name} is not a list`);
  }
  return value.map((one) => objectOf(`each of ${name}`, one));
}

function text(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new ContinuoError("invalid", `${name} is missing`);
}

/** A payload is `{ approved: true }`, and may have a reason; any other payload permits nothing. */
function answerOf({ interruptId, status, payload }: Json): InterruptAnswer {
  const { approved, reason } = (payload ?? {}) as Json;
  const isGranted = status === "resolved" && approved === true;
  return {
    interruptId: text("interruptId", interruptId),
    outcome: isGranted ? "granted" : "denied",
    ...(typeof reason === "string" ? { reason } : {}),
  };
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === "string" && content !== "") return [{ type: "text", text: content }];
  const blocks = Array.isArray(content) ? content.map((part) => blockOf(objectOf("a part", part))) : [];
  if (blocks.length > 0) return blocks;
  throw new ContinuoError("invalid", "the message of the user has no text and no file");
}

function blockOf({ type, text: words, source }: Json): Block {
  if (type === "text" && typeof words === "string") return { type, text: words };
  const { type: kind, value, mimeType } = (source ?? {}) as Json;
  if (kind === "data" && typeof value === "string" && typeof mimeType === "string") {
    return { type: type === "image" ? "image" : "file", mimeType, data: value };
  }
  // With an address, the agent would read a file of this machine, or fetch from its network, for the author of the
  // message.
  throw new ContinuoError("invalid", "a file must come with its content, as a source of the type data");
}
