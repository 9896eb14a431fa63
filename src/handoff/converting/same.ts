/** Whether a session that was read back says what was written. Pure. */

import { createHash } from "node:crypto";
import type { Block, Message } from "../../model/index.ts";

export type SpokenMessage = Pick<Message, "role" | "content">;

/**
 * The first difference in words; `null` where there is none. Ids of calls may have the tool's name in front. Both
 * sides are looked at in step: no more of either than a turn is held.
 */
export function differenceBetween(
  written: readonly SpokenMessage[],
  read: readonly Message[],
): string | null {
  const [expected, actual] = [runsOf(written), runsOf(heard(written, read))];
  for (let at = 1; ; at++) {
    const [one, other] = [nextOf(expected), nextOf(actual)];
    if (one === null && other === null) return null;
    if (one === null) return `it holds ${1 + countOf(actual)} more turns than Continuo wrote`;
    if (other === null) return `it holds ${at - 1} turns of ${at + countOf(expected)}`;
    const kind = KINDS.find((each) => !isSame(one[each], other[each]));
    if (kind !== undefined) return `turn ${at} (${one.role}) differs in its ${kind}`;
  }
}

function isSame(one: string | readonly string[], other: string | readonly string[]): boolean {
  if (typeof one === "string") return one === other;
  return one.length === other.length && one.every((words, at) => words === other[at]);
}

function nextOf(runs: Iterator<Run>): Run | null {
  const { done, value } = runs.next();
  return done ? null : value;
}

function countOf(rest: Iterator<Run>): number {
  let count = 0;
  while (nextOf(rest) !== null) count += 1;
  return count;
}

/** The conversation, and what was written though it looks like what an agent puts in: the newest of that. */
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

/** What was written, without what looks like what an agent puts in: an agent tells the person nothing of that. */
export function withoutAside(
  written: readonly SpokenMessage[],
  read: readonly Message[],
): readonly SpokenMessage[] {
  const aside = new Set(read.filter((message) => !isConversation(message)).map(keyOf));
  return aside.size === 0 ? written : written.filter((message) => !aside.has(keyOf(message)));
}

/** What tells a message; a hash of what is long. */
function keyOf({ role, content }: SpokenMessage): string {
  const told = content
    .map(comparedPart)
    .flatMap((block) => (block === null ? [] : [`${block.kind} ${block.words}`]));
  const key = `${role} ${told.join("\n")}`;
  return key.length <= SHORT_CHARS ? key : createHash("sha256").update(key, "utf16le").digest("base64");
}

const SHORT_CHARS = 64;

/** It excludes what an agent injects, and what it shows only to the person. */
export function isConversation({ role, origin }: Message): boolean {
  return role !== "system" && origin !== "injected" && origin !== "notification" && origin !== "error";
}

/** What one side says until the other does: agents draw the bounds of messages differently. */
interface Run {
  readonly role: Message["role"];
  readonly texts: string[];
  readonly thinking: string[];
  readonly calls: string[];
  readonly results: string[];
  readonly images: string[];
  readonly files: string[];
}

const KINDS = ["role", "texts", "thinking", "calls", "results", "images", "files"] as const;

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
  const told = comparedPart(block);
  if (told !== null) run[told.kind].push(told.words);
}

/** What a block says, in words in which agents agree; `null` for nothing. */
export interface ComparedPart {
  readonly kind: Exclude<(typeof KINDS)[number], "role">;
  readonly words: string;
}

export function comparedPart(block: Block): ComparedPart | null {
  switch (block.type) {
    case "text":
      return block.text === "" ? null : { kind: "texts", words: block.text };
    case "thinking":
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
  const told = parts.filter((part) => part !== "").join("\n\n");
  return `${nameless(block.toolCallId)} ${block.isError} ${told}`;
}
