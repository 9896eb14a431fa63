/** Reads the session that is handed over: the messages to hand over, the records that are left out, and the hashes. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  type AgentName,
  type Block,
  type Entry,
  type Message,
  present,
  type SubagentInfo,
} from "@continuo/core/model";
import { openScratch, type Places } from "@continuo/files";
import type { Lookup } from "@continuo/native";
import type { OpenedSession } from "@continuo/native/kit";
import type { KeptRecord } from "@continuo/native/writing";
import { placeText, type SpokenMessage, selectMessages } from "../converting/index.ts";
import { fromMessage, type PartOptions, withinLimits } from "./message-selection.ts";
import { keptOf, type RecordFacts, readRecords } from "./records.ts";
import { isLarge, openShelf, type Shelf } from "./shelf.ts";

/** Open until it is disposed. The note in its records is not trusted. */
export interface HandOffSource extends Disposable, RecordFacts {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  readonly cwd: string | null;
  readonly title: string | null;
  readonly gitBranch: string | null;
  /** The records themselves, in their order; read again each time. */
  readonly entries: () => AsyncIterable<KeptRecord>;
  readonly messages: readonly Message[];
  /** Opens a shelf for the converted messages, in memory if the session is small. */
  readonly openShelf: () => Shelf;
  /** The sub-agents that have files of their own; others are among the records of the session itself. */
  readonly subagents: readonly SubagentInfo[];
  /**
   * The mark of all messages that can be handed over; `null` if only a part of them was requested. It is
   * computed at the first call.
   */
  readonly said: () => MessagesMark | null;
}

/** Two sessions with equal marks have the same conversation. */
export interface MessagesMark {
  readonly messages: number;
  readonly sha256: string;
}

export function markOf(messages: readonly SpokenMessage[]): MessagesMark {
  const hash = createHash("sha256");
  for (const { role, content } of messages) {
    hash.update(`${JSON.stringify({ role, content: content.map(withoutPlaces) })}\n`);
  }
  return { messages: messages.length, sha256: hash.digest("hex") };
}

/**
 * Removes the fields that depend on the path of a session and are not sent to a model. A block without such fields is
 * not copied: JSON omits undefined values.
 */
function withoutPlaces(block: Block): unknown {
  const rest = block.native === undefined ? block : { ...block, native: undefined };
  if (rest.type === "tool_call") {
    return rest.childSessionId === undefined ? rest : { ...rest, childSessionId: undefined };
  }
  if (rest.type !== "tool_result") return rest;
  return { ...rest, details: undefined, content: rest.content.map(withoutPlaces) };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns the mark of the messages of a read session that can be handed over.
 *
 * @param view the agent's own `modelView` of the history.
 */
export function saidBy(history: readonly Message[], view: readonly Message[]): MessagesMark {
  return markOf(selectMessages(history, view).messages);
}

export interface SourceOptions extends PartOptions {
  /** Copies the records while they are read; by default they are only read. */
  readonly copies?: true;
}

/** Errors: `not_found` for `fromMessage`, `usage` for limits that contradict the strategy, `unreadable`. */
export async function readSource(
  { reader, found }: Lookup,
  places: Places,
  options: SourceOptions,
): Promise<HandOffSource> {
  const { signal, copies = false } = options;
  using stack = new DisposableStack();
  const opened = stack.use(await reader.open(found, places, present({ keep: "all", signal })));
  const openOne = (): Shelf => openShelf(isLarge(found, opened.details) ? "file" : "memory");
  const shelf = stack.use(openOne());
  const history = await Array.fromAsync(opened.history(present({ signal })), shelf.keep);
  const selection = selectMessages(history, reader.modelView(history));
  const later = fromMessage(selection.messages, options.fromMessage);
  const within = withinLimits(later.messages, options);
  const copyPath = copies ? join(stack.use(openScratch()).path, "copy") : null;
  const ofMessages = placesIn(history);
  const { left, ...records } = await readRecords(entriesOf(opened, signal), { ofMessages, copyPath });
  const isWhole = [...later.left, ...within.left].length === 0;
  const { agent, sessionId, location, cwd, title, gitBranch } = opened.details;
  const all = stack.move();
  return {
    agent,
    sessionId,
    location,
    cwd,
    title,
    gitBranch,
    ...records,
    entries: () => keptRecords(opened, signal),
    messages: within.messages,
    openShelf: openOne,
    said: once(() => (isWhole ? markOf(within.messages) : null)),
    left: [...selection.left, ...later.left, ...within.left, ...left],
    subagents: opened.details.subagents.filter(({ location: at }) => !at.startsWith(`${location}#`)),
    [Symbol.dispose]: () => all.dispose(),
  };
}

async function* keptRecords(
  opened: OpenedSession,
  signal: AbortSignal | undefined,
): AsyncGenerator<KeptRecord, void, void> {
  for await (const entry of entriesOf(opened, signal)) yield keptOf(entry);
}

async function* entriesOf(
  opened: OpenedSession,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, void> {
  yield* opened.entriesBefore?.(signal) ?? [];
  yield* opened.entries(signal);
}

/** The places of the records that belong to a message. */
function placesIn(history: readonly Message[]): ReadonlySet<string> {
  const places = new Set<string>();
  for (const { metadata } of history) {
    for (const place of metadata.records ?? []) places.add(placeText([place]));
  }
  return places;
}
