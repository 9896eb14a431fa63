/** Whether a session that was read back says what was written. Pure. */

import type { Block, Message } from "../../model/index.ts";

export type Said = Pick<Message, "role" | "content">;

/** The first difference in words; `null` where there is none. Ids of calls may have the tool's name in front. */
export function differenceBetween(written: readonly Said[], read: readonly Message[]): string | null {
  const expected = runsOf(written);
  const actual = runsOf(heard(written, read));
  for (let at = 0; at < Math.max(expected.length, actual.length); at++) {
    const [one, other] = [expected[at], actual[at]];
    if (one === undefined)
      return `it holds ${actual.length - expected.length} more turns than Continuo wrote`;
    if (other === undefined) return `it holds ${actual.length} turns of ${expected.length}`;
    const kind = KINDS.find((each) => JSON.stringify(one[each]) !== JSON.stringify(other[each]));
    if (kind !== undefined) return `turn ${at + 1} (${one.role}) differs in its ${kind}`;
  }
  return null;
}

/** The conversation, and what was written though it looks like what an agent puts in: the newest of that. */
function heard(written: readonly Said[], read: readonly Message[]): readonly Message[] {
  const open = new Map<string, number>();
  const count = (said: Said, by: 1 | -1): void => {
    const key = keyOf(said);
    open.set(key, (open.get(key) ?? 0) + by);
  };
  for (const message of written) count(message, 1);
  for (const message of read) if (isConversation(message)) count(message, -1);
  const aside = new Set<Message>();
  for (const message of read.toReversed()) {
    if (isConversation(message) || message.role !== "user" || (open.get(keyOf(message)) ?? 0) < 1) continue;
    count(message, -1);
    aside.add(message);
  }
  return read.filter((message) => isConversation(message) || aside.has(message));
}

/** What was written, without what looks like what an agent puts in: an agent tells the person nothing of that. */
export function withoutAside(written: readonly Said[], read: readonly Message[]): readonly Said[] {
  const aside = new Set(read.filter((message) => !isConversation(message)).map(keyOf));
  return written.filter((message) => !aside.has(keyOf(message)));
}

function keyOf({ role, content }: Said): string {
  const told = content
    .map(toldBy)
    .flatMap((block) => (block === null ? [] : [`${block.kind} ${block.words}`]));
  return `${role} ${told.join("\n")}`;
}

/** What an agent puts in, and what it tells the person alone, is no part of it. */
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

function runsOf(messages: readonly Said[]): Run[] {
  const runs: Run[] = [];
  for (const { role, content } of messages) {
    let run = runs.at(-1);
    if (run?.role !== role) {
      run = { role, texts: [], thinking: [], calls: [], results: [], images: [], files: [] };
      runs.push(run);
    }
    for (const block of content) addBlock(run, block);
  }
  for (const run of runs) run.results.sort();
  return runs;
}

function addBlock(run: Run, block: Block): void {
  const told = toldBy(block);
  if (told !== null) run[told.kind].push(told.words);
}

/** What a block says, in words in which agents agree; `null` for nothing. */
export interface Told {
  readonly kind: Exclude<(typeof KINDS)[number], "role">;
  readonly words: string;
}

export function toldBy(block: Block): Told | null {
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
