/** Divides messages into turns: a message of a person, and everything until the person's next message. Pure. */

import type { Block, Message } from "@continuo/core/model";
import { createTurnStarts, messageKind } from "@continuo/core/transcript";
import { filesOfCall } from "./call-files.ts";
import { MAX_ARGUMENT_DEPTH, MAX_FACTS, MAX_TEXT_CHARS, MAX_TURN_CHARS } from "./limits.ts";

/** The voice of a text, which is a column of the index with its own weight in the ranking. */
export const VOICES = ["person", "agent", "call", "result", "other"] as const;

export type Voice = (typeof VOICES)[number];

/** One text of a turn: a block, or an argument of a call. */
export interface Passage {
  readonly voice: Voice;
  readonly messageId: string;
  readonly text: string;
}

export interface Turn {
  /** The message that the turn begins with. */
  readonly messageId: string;
  /** ISO 8601, of the last message that has a time. */
  readonly at: string | null;
  readonly passages: readonly Passage[];
  /** Names of tools that were called. */
  readonly tools: readonly string[];
  /** Paths of files that calls name. */
  readonly files: readonly string[];
  /** The number of failed results, and of errors that the agent showed. */
  readonly errors: number;
  /** The number of characters that were cut from texts that are too long. */
  readonly cutChars: number;
  readonly messages: number;
}

/**
 * Messages in their order. Each message is in one turn; a turn of more than `MAX_TURN_CHARS` is divided into several.
 *
 * @param open the turn that the messages continue; not one that has only what was injected before the first question
 * @param isBegun there are turns before these messages
 */
export async function* turnsOf(
  messages: AsyncIterable<Message>,
  open: Turn | null = null,
  isBegun: boolean = open !== null,
): AsyncGenerator<Turn, void, void> {
  let draft = open === null ? null : toDraft(open);
  let beginsTurn = createTurnStarts(isBegun);
  for await (const message of messages) {
    const isFull = (draft?.chars ?? 0) > MAX_TURN_CHARS;
    if (isFull) beginsTurn = createTurnStarts(true);
    const isNew: boolean = beginsTurn(message) || isFull;
    if (draft !== null && isNew) yield toTurn(draft);
    draft = draft === null || isNew ? createDraft(message.id) : draft;
    foldMessage(draft, message);
  }
  if (draft !== null) yield toTurn(draft);
}

export function turnOfMessage(message: Message): Turn {
  const draft = createDraft(message.id);
  foldMessage(draft, message);
  return toTurn(draft);
}

interface TurnDraft {
  readonly messageId: string;
  at: string | null;
  readonly passages: Passage[];
  readonly tools: Set<string>;
  readonly files: Set<string>;
  errors: number;
  chars: number;
  cutChars: number;
  messages: number;
}

function createDraft(messageId: string): TurnDraft {
  return {
    messageId,
    at: null,
    passages: [],
    tools: new Set(),
    files: new Set(),
    errors: 0,
    chars: 0,
    cutChars: 0,
    messages: 0,
  };
}

function toDraft({ messageId, at, passages, tools, files, errors, cutChars, messages }: Turn): TurnDraft {
  const chars = passages.reduce((sum, { text }) => sum + text.length, 0);
  const sets = { passages: [...passages], tools: new Set(tools), files: new Set(files) };
  // A turn is identified by the hash of its JSON, so its fields must have a fixed order.
  return { ...createDraft(messageId), at, ...sets, errors, chars, cutChars, messages };
}

function toTurn({ chars: _, tools, files, ...draft }: TurnDraft): Turn {
  return { ...draft, tools: [...tools].slice(0, MAX_FACTS), files: [...files].slice(0, MAX_FACTS) };
}

function foldMessage(draft: TurnDraft, message: Message): void {
  const kind = messageKind(message);
  draft.messages += 1;
  draft.at = message.timestamp ?? draft.at;
  if (kind === "error") draft.errors += 1;
  // A summary describes a part of the conversation that may no longer be in any file.
  const said: Voice =
    kind === "person" ? "person" : kind === "injected" || kind === "tool" ? "other" : "agent";
  const add = (voice: Voice, whole: string): void => {
    if (whole === "") return;
    const text = whole.slice(0, MAX_TEXT_CHARS);
    draft.cutChars += whole.length - text.length;
    draft.chars += text.length;
    draft.passages.push({ voice, messageId: message.id, text });
  };
  for (const block of message.content) foldBlock(draft, block, { said, add });
}

interface BlockTarget {
  readonly said: Voice;
  readonly add: (voice: Voice, text: string) => void;
}

function foldBlock(draft: TurnDraft, block: Block, { said, add }: BlockTarget): void {
  switch (block.type) {
    case "text":
      if (block.injectedChars !== undefined) add("other", block.text.slice(0, block.injectedChars));
      add(said, block.typed ?? block.text.slice(block.injectedChars));
      return;
    case "thinking":
      add(said, block.text);
      return;
    case "file":
      add(said, block.name ?? "");
      add(said, block.text ?? "");
      return;
    case "tool_call":
      draft.tools.add(block.name);
      for (const file of filesOfCall(block.args)) draft.files.add(file);
      add("call", block.name);
      for (const text of textsIn(block.rawArgs ?? block.args, 0)) add("call", text);
      return;
    case "tool_result":
      if (block.isError) draft.errors += 1;
      for (const inner of block.content) foldBlock(draft, inner, { said: "result", add });
      return;
    case "image":
    case "unknown":
      return;
  }
}

/** The texts and numbers in a value; the names of its fields come from the tool and are not indexed. */
function* textsIn(value: unknown, depth: number): Generator<string, void, void> {
  if (typeof value === "string") yield value;
  else if (typeof value === "number") yield String(value);
  else if (typeof value === "object" && value !== null && depth < MAX_ARGUMENT_DEPTH) {
    for (const inner of Object.values(value)) yield* textsIn(inner, depth + 1);
  }
}
