/**
 * The running turn as a value: the events of the server, and how they are joined with the messages that were read.
 * Pure.
 */

import type { Block } from "@continuo/core/model";
import type { ChatEvent, WindowMessage } from "@continuo/core/wire/machine";

export interface RunningTurn {
  /** Messages by their sequence in the log. */
  readonly messages: ReadonlyMap<number, WindowMessage>;
  readonly open: OpenText | null;
}

/** The text that is growing: a token changes only this text, and no message. */
export interface OpenText {
  readonly sequence: number;
  readonly block: number;
  readonly text: string;
}

export const NO_RUNNING_TURN: RunningTurn = { messages: new Map(), open: null };

type TurnEvent = Extract<ChatEvent, { readonly type: "turn" | "messages" | "token" }>;

export function foldTurnEvent(live: RunningTurn, event: TurnEvent): RunningTurn {
  switch (event.type) {
    case "turn":
      // A complete message stays until the history has it.
      return { messages: new Map([...live.messages].filter(([, one]) => !isPartial(one))), open: null };
    case "messages":
      return withMessages(live, event.messages);
    case "token": {
      const { sequence, block, from } = event;
      const before = textAt(live, sequence, block);
      // A token whose message is unknown cannot be shown.
      if (before === null || before.length < from) return live;
      return { ...live, open: { sequence, block, text: before.slice(0, from) + event.text } };
    }
  }
}

/** The number of the newest messages that are kept. */
const MOST = 500;

function withMessages(live: RunningTurn, told: readonly WindowMessage[]): RunningTurn {
  const messages = new Map(live.messages);
  let { open } = live;
  for (const one of told) {
    const sequence = sequenceOf(one);
    if (sequence === null) continue;
    messages.set(sequence, one);
    if (open?.sequence === sequence) open = null;
    open = (isPartial(one) ? openIn(one, sequence) : null) ?? open;
  }
  const kept = [...messages].sort(([a], [b]) => a - b).slice(-MOST);
  return { messages: new Map(kept), open };
}

function openIn({ message: { content } }: WindowMessage, sequence: number): OpenText | null {
  const last = content.at(-1);
  if (last?.type !== "text" && last?.type !== "thinking") return null;
  return { sequence, block: content.length - 1, text: textOfBlock(last) };
}

function textAt({ messages, open }: RunningTurn, sequence: number, block: number): string | null {
  if (open?.sequence === sequence && open.block === block) return open.text;
  const found = messages.get(sequence)?.message.content[block];
  return found === undefined ? null : textOfBlock(found);
}

function textOfBlock(block: Block): string {
  return "text" in block && typeof block.text === "string" ? block.text : "";
}

/**
 * Live content replaces content that was read. With `isAtEnd`, the history has nothing newer than `read`, and further
 * live messages follow.
 */
export function withLive(
  read: readonly WindowMessage[],
  messages: RunningTurn["messages"],
  isAtEnd: boolean,
): readonly WindowMessage[] {
  if (messages.size === 0) return read;
  const known = new Set(read.map(sequenceOf));
  const merged = read.map((one) => {
    const told = messages.get(sequenceOf(one) ?? -1);
    if (told === undefined) return one;
    // The content of the live message replaces that of the other.
    const { content, metadata } = told.message;
    return { ...one, cuts: told.cuts, message: { ...one.message, content, metadata } };
  });
  if (!isAtEnd) return merged;
  return [...merged, ...[...messages].filter(([sequence]) => !known.has(sequence)).map(([, told]) => told)];
}

/** Removes messages that the history has in the same form, after the turn has ended. */
export function settled(live: RunningTurn, read: readonly WindowMessage[]): RunningTurn {
  const had = new Map(read.map((one) => [sequenceOf(one), JSON.stringify(one.message.content)]));
  const left = [...live.messages].filter(
    ([sequence, { message }]) => had.get(sequence) !== JSON.stringify(message.content),
  );
  return left.length === live.messages.size ? live : { ...live, messages: new Map(left) };
}

function sequenceOf({ message: { metadata } }: WindowMessage): number | null {
  return typeof metadata.sequence === "number" ? metadata.sequence : null;
}

function isPartial({ message: { metadata } }: WindowMessage): boolean {
  return metadata.partial === true;
}
