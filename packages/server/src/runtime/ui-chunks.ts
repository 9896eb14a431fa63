/**
 * The events of a run as chunks of the AI SDK's UI message stream (version 1). A step is one message of the agent with
 * its calls. Another attempt replaces the unfinished message of the attempt before. Pure.
 */

import { type Block, type KnownEvent, present, textOf } from "@continuo/core/model";
import { type FailureText, GIVEN_UP, plainFailure, runErrorOf, wordsOf } from "./failure-text.ts";

/** A chunk of the stream, as `uiMessageChunkSchema` of the package `ai` has it. */
export interface UIChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface UIFold {
  take(event: KnownEvent): readonly UIChunk[];
  /** Closes what is open, and records how it ended. A call without a result gets its error once. */
  end(): readonly UIChunk[];
}

type Kind = "text" | "reasoning";

interface OpenPart {
  readonly id: string;
  readonly kind: Kind;
}

const FINISH: Readonly<Record<string, string>> = {
  stop: "stop",
  end_turn: "stop",
  length: "length",
  max_tokens: "length",
  "content-filter": "content-filter",
  refusal: "content-filter",
  "tool-calls": "tool-calls",
  max_steps: "tool-calls",
  error: "error",
};

/** The step that is open, its open part of text or thinking, and the text so far. */
class Speech {
  #open: OpenPart | null = null;
  #count = 0;
  #attempt: string | undefined;
  /** The message that belongs to the step. */
  #messageId: string | null = null;
  #hasCalls = false;
  /** The words of the messages that came in parts, so that only the missing words of the complete message are shown. */
  readonly #streamed = new Map<string, Record<Kind, string>>();
  /** The longest text of an earlier attempt that was cut off. */
  #longest = "";

  /** Words that an attempt wrote without a call are written again by the next one; a call that was made stays. */
  attempt(runId: string | undefined): UIChunk[] {
    const isFirst = this.#attempt === undefined;
    if (runId === undefined || runId === this.#attempt) return [];
    this.#attempt = runId;
    if (isFirst) return [];
    const said = this.#hasCalls ? "" : this.#text();
    if (said.length > this.#longest.length) this.#longest = said;
    this.#streamed.clear();
    const chunks = this.close();
    if (this.#hasCalls) return [...chunks, ...this.#nextStep()];
    const isEmpty = this.#messageId === null;
    this.#messageId = null;
    return isEmpty ? chunks : [...chunks, { type: "reset-step" }];
  }

  close(): UIChunk[] {
    if (this.#open === null) return [];
    const { id, kind } = this.#open;
    this.#open = null;
    return [{ type: `${kind}-end`, id }];
  }

  /** No attempt follows: readers keep the longest text that they had, if the last attempt wrote less. */
  longest(): UIChunk[] {
    const chunks = this.close();
    if (this.#hasCalls || this.#longest.length <= this.#text().length) return chunks;
    const reset = this.#messageId === null ? [] : [{ type: "reset-step" }];
    return [...chunks, ...reset, ...this.say("text", this.#longest), ...this.close()];
  }

  #text(): string {
    return this.#streamed.get(this.#messageId ?? "")?.text ?? "";
  }

  /** The next words belong to this message, which begins a step unless the present step is still empty. */
  enter(messageId: string): UIChunk[] {
    if (this.#messageId === messageId) return [];
    const chunks = this.#messageId === null && !this.#hasCalls ? [] : [...this.close(), ...this.#nextStep()];
    this.#messageId = messageId;
    return chunks;
  }

  call(): UIChunk[] {
    this.#hasCalls = true;
    return this.close();
  }

  say(kind: Kind, text: string): UIChunk[] {
    if (text === "") return [];
    const before = this.#open?.kind === kind ? [] : this.close();
    if (this.#open === null) {
      this.#count++;
      this.#open = { id: `${kind}-${this.#count}`, kind };
      before.push({ type: `${kind}-start`, id: this.#open.id });
    }
    return [...before, { type: `${kind}-delta`, id: this.#open.id, delta: text }];
  }

  sayPart(messageId: string, kind: Kind, text: string): UIChunk[] {
    const said = this.#streamed.get(messageId) ?? { text: "", reasoning: "" };
    const entered = this.enter(messageId);
    // Readers join two parts of text as `textOf` joins two blocks. After another message, the text may just continue.
    const isNext = entered.length === 0 && this.#open?.kind !== "text";
    const isApart = kind === "text" && isNext && said.text !== "" && text !== "";
    this.#streamed.set(messageId, { ...said, [kind]: said[kind] + (isApart ? "\n\n" : "") + text });
    return [...entered, ...this.say(kind, text)];
  }

  /**
   * Takes the complete message, after its parts. Text that the parts lack is added. If the text does not begin with the
   * parts, it replaces them, unless a call or another message came after them.
   */
  sayWhole(messageId: string, blocks: readonly Block[]): UIChunk[] {
    const said = this.#streamed.get(messageId);
    if (said === undefined) {
      if (!blocks.some(isShown)) return this.close();
      return [...this.enter(messageId), ...this.#sayBlocks(blocks), ...this.close()];
    }
    const [texts, thoughts] = [wordsIn(blocks, "text"), wordsIn(blocks, "thinking")];
    this.#streamed.set(messageId, { text: textOf(blocks), reasoning: thoughts.join("") });
    const text = restOf(said.text, texts);
    if (text === null && this.#messageId === messageId && !this.#hasCalls) {
      return [...this.close(), { type: "reset-step" }, ...this.#sayBlocks(blocks), ...this.close()];
    }
    const files = blocks.filter(({ type }) => type !== "text" && type !== "thinking").filter(isShown);
    const reasoning = (restOf(said.reasoning, thoughts) ?? []).join("");
    const [next = "", ...others] = text ?? [];
    if (files.length === 0 && others.length === 0 && `${reasoning}${next}` === "") return this.close();
    return [
      ...this.enter(messageId),
      ...this.say("reasoning", reasoning),
      ...this.say("text", next),
      ...this.#sayBlocks([...others.map((words) => ({ type: "text", text: words }) as const), ...files]),
      ...this.close(),
    ];
  }

  #sayBlocks(blocks: readonly Block[]): UIChunk[] {
    return blocks.flatMap((block) => {
      // Each block is a part, so that readers join them as `textOf` does.
      if (block.type === "text" && block.text !== "")
        return [...this.close(), ...this.say("text", block.text)];
      if (block.type === "thinking") return this.say("reasoning", block.text);
      const part = filePartOf(block);
      return part === undefined ? [] : [...this.close(), part];
    });
  }

  #nextStep(): UIChunk[] {
    this.#messageId = null;
    this.#hasCalls = false;
    return [{ type: "finish-step" }, { type: "start-step" }];
  }
}

/**
 * @param messageId the id of the answer, which is that of the first run of the input
 * @param failureText makes the words about failures; by default plain ones with the code
 */
export function createUIFold(messageId: string, failureText: FailureText = plainFailure): UIFold {
  const speech = new Speech();
  const shown: ChunkState = {
    calls: new Map(),
    unfinished: new Set(),
    left: new Set(),
    approvals: new Map(),
    failureText,
  };
  const begin = [{ type: "start", messageId }, { type: "start-step" }];
  let isBegun = false;
  let finish: UIChunk = { type: "finish", finishReason: "stop" };
  /** The words about an input that was given up after its last attempt was cut off. */
  let givenUp: UIChunk | undefined;
  return {
    take(event) {
      const ended = finishOf(event, failureText);
      if (ended !== undefined) [finish, givenUp] = [ended, undefined];
      if (finish.type === "abort") givenUp = givenUpBy(event, failureText) ?? givenUp;
      const attempt = event.type === "run_started" ? speech.attempt(event.runId) : [];
      const lost = lostCalls(event, shown, finish);
      const chunks = [...attempt, ...lost, ...speechOf(event, speech), ...toolsOf(event, speech, shown)];
      if (isBegun || (chunks.length === 0 && event.type !== "run_started")) return chunks;
      isBegun = true;
      return [...begin, ...chunks];
    },
    end: () => [
      ...(isBegun ? [] : begin),
      ...(givenUp === undefined ? speech.close() : speech.longest()),
      ...endedCalls(shown.unfinished, shown, finish),
      { type: "finish-step" },
      ...metadataOf({ ...finish, ...givenUp, type: finish.type }),
      givenUp ?? finish,
    ],
  };
}

function speechOf(event: KnownEvent, speech: Speech): readonly UIChunk[] {
  if (event.type === "message_streamed") {
    const { messageId, kind, delta } = event.data;
    return speech.sayPart(messageId, kind === "thinking" ? "reasoning" : "text", delta);
  }
  if (event.type !== "message_received") return [];
  const { content, messageId = event.id } = event.data;
  return speech.sayWhole(
    messageId,
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  );
}

/**
 * Returns the words that the parts lack: those that continue the last part, and then each further block. `null` if the
 * parts are not the beginning of the blocks. White space around them may differ.
 */
function restOf(said: string, blocks: readonly string[]): readonly string[] | null {
  let left = said;
  for (const [at, words] of blocks.entries()) {
    if (words.startsWith(left)) return [words.slice(left.length), ...blocks.slice(at + 1)];
    if (!left.startsWith(words)) break;
    left = left.slice(words.length).replace(/^\n\n/u, "");
  }
  const wholes = ["", "\n\n"].map((between) => blocks.join(between).trim());
  return wholes.includes(said.trim()) || wholes[0] === "" ? [] : null;
}

/** The words of each block. Blocks without words are left out, as by `textOf`. */
function wordsIn(blocks: readonly Block[], type: "text" | "thinking"): readonly string[] {
  return blocks.flatMap((block) => (block.type === type && block.text !== "" ? [block.text] : []));
}

function isShown(block: Block): boolean {
  if (block.type === "text" || block.type === "thinking") return block.text !== "";
  return urlOf(block) !== undefined;
}

interface ChunkState {
  /** The names of tools, by the ids of their calls. */
  readonly calls: Map<string, string>;
  /** The ids of the calls without a result. */
  readonly unfinished: Set<string>;
  /** Those of them that an earlier attempt left, and that this one has not taken up. */
  readonly left: Set<string>;
  /**
   * The keys are the ids. After its process ended, an agent asks again about a call whose question is open, or whose
   * answer it did not receive.
   */
  readonly approvals: Map<string, "open" | "answered">;
  readonly failureText: FailureText;
}

/** Chunks of a call that was not shown would cause an error in the reader. */
function toolsOf(
  event: KnownEvent,
  speech: Speech,
  { calls, unfinished, approvals, failureText }: ChunkState,
): readonly UIChunk[] {
  switch (event.type) {
    case "tool_call_started": {
      const { toolCallId, toolName, toolInput = {} } = event.data;
      if (calls.has(toolCallId)) return [];
      calls.set(toolCallId, toolName);
      unfinished.add(toolCallId);
      return [...speech.call(), { type: "tool-input-available", toolCallId, toolName, input: toolInput }];
    }
    case "approval_requested": {
      const { approvalId, toolCallId, toolName = "tool", toolInput = {} } = event.data;
      if (toolCallId === undefined || approvals.has(approvalId)) return [];
      approvals.set(approvalId, "open");
      const question = { type: "tool-approval-request", approvalId, toolCallId };
      if (calls.has(toolCallId)) return [question];
      // Some agents ask before they report the call.
      calls.set(toolCallId, toolName);
      unfinished.add(toolCallId);
      const call = { type: "tool-input-available", toolCallId, toolName, input: toolInput };
      return [...speech.call(), call, question];
    }
    case "approval_resolved": {
      const { approvalId, outcome, reason } = event.data;
      if (approvals.get(approvalId) !== "open") return [];
      const approved = outcome === "granted";
      // The other outcomes are not answers of a person, and the agent may ask a person after them.
      if (approved || outcome === "denied") approvals.set(approvalId, "answered");
      else approvals.delete(approvalId);
      return [{ type: "tool-approval-response", approvalId, approved, ...present({ reason }) }];
    }
    case "tool_call_completed": {
      const { toolCallId, toolOutput = null } = event.data;
      if (!calls.has(toolCallId)) return [];
      unfinished.delete(toolCallId);
      return [{ type: "tool-output-available", toolCallId, output: outputOf(toolOutput) }];
    }
    case "tool_call_failed": {
      const { toolCallId, error, status: code = "error" } = event.data;
      const toolName = calls.get(toolCallId);
      if (toolName === undefined) return [];
      unfinished.delete(toolCallId);
      if (code === "denied") return [{ type: "tool-output-denied", toolCallId }];
      const errorText = failureText({ code, message: wordsOf(error), toolName });
      return [{ type: "tool-output-error", toolCallId, errorText }];
    }
    default:
      return [];
  }
}

/**
 * An attempt takes up a call that an earlier one left, or begins with something else: then the call is lost, and a
 * reader learns it before the words that follow.
 */
function lostCalls(event: KnownEvent, shown: ChunkState, finish: UIChunk): readonly UIChunk[] {
  const { calls, unfinished, left } = shown;
  if (event.type === "run_started") for (const toolCallId of unfinished) left.add(toolCallId);
  if (event.type === "tool_call_started" || event.type === "approval_requested") {
    const { toolCallId } = event.data;
    if (toolCallId === undefined) return [];
    left.delete(toolCallId);
    if (calls.has(toolCallId)) return [];
  } else if (event.type !== "message_streamed" && event.type !== "message_received") return [];
  const lost = [...left].filter((toolCallId) => unfinished.has(toolCallId));
  left.clear();
  return endedCalls(lost, shown, finish);
}

/** A call without a result ends with its run, because nobody can answer its question then. */
function endedCalls(
  ended: Iterable<string>,
  { calls, unfinished, failureText }: ChunkState,
  finish: UIChunk,
): readonly UIChunk[] {
  const code = finish.reason === "run_cancelled" ? "cancelled" : "interrupted";
  return [...ended].map((toolCallId) => {
    unfinished.delete(toolCallId);
    const failure = { code, message: "the run ended before the tool", toolName: calls.get(toolCallId) ?? "" };
    return { type: "tool-output-error", toolCallId, errorText: failureText(failure) };
  });
}

/** Marks an answer that is not complete, so that the mark remains after a reload. */
function metadataOf({ type, errorText, reason }: UIChunk): readonly UIChunk[] {
  if (type === "finish") return [];
  const status = type === "error" ? "failed" : String(reason).slice("run_".length);
  return [{ type: "message-metadata", messageMetadata: { status, ...present({ errorText }) } }];
}

/** The last chunk, for the present end of the run; another attempt may follow. */
function finishOf(event: KnownEvent, failureText: FailureText): UIChunk | undefined {
  switch (event.type) {
    case "run_completed": {
      const { stopReason } = (event.data.result ?? {}) as { readonly stopReason?: string };
      return { type: "finish", finishReason: FINISH[stopReason ?? "stop"] ?? "other" };
    }
    case "run_failed":
      return { type: "error", errorText: failureText(runErrorOf(event.data.error)) };
    case "run_cancelled":
    case "run_interrupted":
    case "run_timed_out":
      return { type: "abort", reason: event.type };
    default:
      return undefined;
  }
}

function givenUpBy(event: KnownEvent, failureText: FailureText): UIChunk | undefined {
  if (event.type !== "error_raised" || event.data.code !== GIVEN_UP) return undefined;
  return { type: "error", errorText: failureText({ code: GIVEN_UP, message: event.data.message }) };
}

/** An image or a file, as a chunk and as a part of a message; left out if only a blob has its bytes. */
export function filePartOf(block: Block): UIChunk | undefined {
  const url = urlOf(block);
  if (url === undefined || (block.type !== "image" && block.type !== "file")) return undefined;
  return { type: "file", mediaType: block.mimeType, url };
}

function urlOf(block: Block): string | undefined {
  if (block.type !== "image" && block.type !== "file") return undefined;
  return block.url ?? (block.data === undefined ? undefined : `data:${block.mimeType};base64,${block.data}`);
}

/** A result in blocks becomes its text, if it has only text. */
function outputOf(output: unknown): unknown {
  if (!Array.isArray(output) || !output.every((block: Block | null) => block?.type === "text")) return output;
  return textOf(output as readonly Block[]);
}
