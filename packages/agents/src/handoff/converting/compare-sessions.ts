/** Compares a session that was read back with the session that was written. Pure. */

import { createHash } from "node:crypto";
import type { Block, Message } from "@continuo/core/model";
import { isJson, textOfValue } from "@continuo/files";
import { isWrittenAsText } from "./blocks.ts";

export type SpokenMessage = Pick<Message, "role" | "content">;

/**
 * Describes the first difference, with the texts that differ; `null` if there is none. Ids of calls may begin with the
 * tool's name. Both sides are read together, so that at most one turn of each is in memory.
 */
export function differenceBetween(
  written: Iterable<SpokenMessage>,
  read: Iterable<SpokenMessage>,
): string | null {
  const [expected, actual] = [runsOf(written), runsOf(read)];
  for (let at = 1; ; at++) {
    const [one, other] = [nextOf(expected), nextOf(actual)];
    if (one === null && other === null) return null;
    if (one === null || other === null || one.role !== other.role) return turnDifference(at, one, other);
    const kind = KINDS.find((each) => !isSame(one[each], other[each]));
    if (kind !== undefined)
      return `turn ${at} (${one.role}) differs in its ${kind}${told(kind, one[kind], other[kind])}`;
  }
}

/** Does the same as `differenceBetween`, but accepts messages that the agent inserts by itself. */
export function differenceFromSaid(
  written: readonly SpokenMessage[],
  read: readonly Message[],
): string | null {
  return differenceBetween(written, heard(written, read));
}

/** The outcome of comparing two views of one session. */
export type Comparison =
  | { readonly outcome: "same" }
  /** Only content that the agent adds by itself differs. */
  | { readonly outcome: "asides"; readonly difference: string }
  | { readonly outcome: "differs"; readonly difference: string };

/** Compares the messages that the model would receive from the written session with those that the agent read. */
export function compareViews(written: readonly Message[], read: readonly Message[]): Comparison {
  const difference = differenceBetween(written, read);
  if (difference === null) return { outcome: "same" };
  const said = differenceBetween(written.filter(isConversation), read.filter(isConversation));
  return said === null ? { outcome: "asides", difference } : { outcome: "differs", difference: said };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((words, at) => words === other[at]);
}

function nextOf(runs: Iterator<Run>): Run | null {
  const { done, value } = runs.next();
  return done ? null : value;
}

/** Describes a turn in which one side has ended, or another speaker begins. */
function turnDifference(at: number, written: Run | null, read: Run | null): string {
  if (read === null) return `turn ${at} (${written?.role}) is missing${toldOf(written)}`;
  if (written === null) return `turn ${at} (${read.role}) was added${toldOf(read)}`;
  return `turn ${at} is of the ${read.role}${toldOf(read)}, in place of the ${written.role}${toldOf(written)}`;
}

function toldOf(run: Run | null): string {
  const words = run === null ? undefined : TOLD.flatMap((kind) => run[kind])[0];
  return words === undefined ? "" : `: ${quoted(words)}`;
}

/** Returns an empty text if only bytes differ, because a person cannot read them. */
function told(kind: PartKind, written: readonly string[], read: readonly string[]): string {
  if (!TOLD.includes(kind)) return "";
  const length = Math.max(written.length, read.length);
  const at = Array.from({ length }).findIndex((_, each) => written[each] !== read[each]);
  const [one, other] = [written[at], read[at]];
  if (other === undefined) return `: ${quoted(one ?? "")} is missing`;
  if (one === undefined) return `: ${quoted(other)} was added`;
  const from = Math.max(0, sameChars(one, other) - CHARS_BEFORE);
  return `: ${quoted(other, from)} in place of ${quoted(one, from)}`;
}

function sameChars(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

const CHARS_BEFORE = 20;
const MAX_TOLD_CHARS = 80;

function quoted(words: string, from = 0): string {
  const end = from + MAX_TOLD_CHARS;
  return `${from > 0 ? "…" : ""}${JSON.stringify(words.slice(from, end))}${words.length > end ? "…" : ""}`;
}

/** Returns the read messages without the agent's insertions, but keeps the newest ones that equal written messages. */
function heard(written: readonly SpokenMessage[], read: readonly Message[]): readonly Message[] {
  const isAside = (message: Message): boolean => !isConversation(message) && message.role === "user";
  const open = new Map(read.filter(isAside).map((message) => [keyOf(message), 0]));
  const count = (said: SpokenMessage, by: 1 | -1): void => {
    if (open.size === 0) return;
    const key = keyOf(said);
    const before = open.get(key);
    if (before !== undefined) open.set(key, before + by);
  };
  for (const message of written) count(message, 1);
  for (const message of read) if (isConversation(message)) count(message, -1);
  const aside = new Set<Message>();
  for (const message of read.toReversed()) {
    if (!isAside(message) || (open.get(keyOf(message)) ?? 0) < 1) continue;
    count(message, -1);
    aside.add(message);
  }
  return read.filter((message) => isConversation(message) || aside.has(message));
}

/**
 * Returns the written messages without those that are equal to the agent's insertions, because an agent does not show
 * them.
 */
export function withoutAside(
  written: readonly SpokenMessage[],
  read: readonly Message[],
): readonly SpokenMessage[] {
  const aside = new Set(read.filter((message) => !isConversation(message)).map(keyOf));
  return aside.size === 0 ? written : written.filter((message) => !aside.has(keyOf(message)));
}

/** Returns a key of the message, which is a hash if the message is long. */
function keyOf({ role, content }: SpokenMessage): string {
  const parts = content
    .map(comparedPart)
    .flatMap((block) => (block === null ? [] : [`${block.kind} ${block.words}`]));
  const key = `${role} ${parts.join("\n")}`;
  return key.length <= SHORT_CHARS ? key : createHash("sha256").update(key, "utf16le").digest("base64");
}

const SHORT_CHARS = 64;

/** Returns false for messages that an agent injects, and for those that it shows only to the person. */
export function isConversation({ role, origin }: Message): boolean {
  return role !== "system" && origin !== "injected" && origin !== "notification" && origin !== "error";
}

const KINDS = ["texts", "thinking", "calls", "results", "images", "files"] as const;

type PartKind = (typeof KINDS)[number];

/** Kinds whose text a person can read. */
const TOLD: readonly PartKind[] = ["texts", "thinking", "calls", "results"];

/** The messages of one speaker until another one speaks, because agents split messages in different ways. */
type Run = { readonly role: Message["role"] } & Readonly<Record<PartKind, string[]>>;

function* runsOf(messages: Iterable<SpokenMessage>): Generator<Run, void, void> {
  let run = null as Run | null;
  for (const { role, content } of messages) {
    if (run?.role !== role) {
      if (run !== null) yield sorted(run);
      run = { role, texts: [], thinking: [], calls: [], results: [], images: [], files: [] };
    }
    for (const block of content) addBlock(run, block);
  }
  if (run !== null) yield sorted(run);
}

function sorted(run: Run): Run {
  run.results.sort();
  return run;
}

function addBlock(run: Run, block: Block): void {
  const part = comparedPart(block);
  if (part !== null) run[part.kind].push(part.words);
}

/** The content of a block in a form that is the same for all agents; `null` if it has none. */
export interface ComparedPart {
  readonly kind: PartKind;
  readonly words: string;
}

export function comparedPart(block: Block): ComparedPart | null {
  switch (block.type) {
    case "text":
      return block.text === "" ? null : { kind: "texts", words: block.text };
    case "thinking":
      if (isJson(block.native) && isWrittenAsText(block)) {
        return { kind: "texts", words: textOfValue(block.native.text) };
      }
      return block.text === "" ? null : { kind: "thinking", words: block.text };
    case "tool_call":
      return { kind: "calls", words: `${nameless(block.id)} ${block.name} ${JSON.stringify(block.args)}` };
    case "tool_result":
      return { kind: "results", words: resultOf(block) };
    case "image":
      return { kind: "images", words: block.data ?? block.url ?? "" };
    case "file":
      return { kind: "files", words: block.data ?? block.url ?? block.text ?? "" };
    case "unknown":
      return { kind: "files", words: "unknown" };
  }
}

function nameless(callId: string): string {
  return callId.split("__").at(-1) ?? callId;
}

function resultOf(block: Block & { readonly type: "tool_result" }): string {
  const parts = block.content.map((part) => {
    if (part.type === "text") return part.text;
    return part.type === "image" || part.type === "file" ? (part.data ?? part.url ?? "") : part.type;
  });
  const words = parts.filter((part) => part !== "").join("\n\n");
  return `${nameless(block.toolCallId)} ${block.isError} ${words}`;
}
