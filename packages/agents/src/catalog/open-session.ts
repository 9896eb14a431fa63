/** Opens a session, native or own. An own session is the transcript of its log, in the shape of a native session. */

import {
  ContinuoError,
  type Leaf,
  type Message,
  present,
  type SessionDetails,
  shellWord,
  type ToolDefinition,
  textOf,
} from "@continuo/core/model";
import type { Transcript } from "@continuo/core/transcript";
import type { PlacesAt } from "@continuo/files";
import { toTitle } from "@continuo/native/kit";
import type { IndexOfRecords } from "./indexed-scan.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { LookUpHit } from "./look-up.ts";
import type { ListedSession, OwnRow } from "./rows.ts";
import { type OpenOwn, openOwnAgain } from "./store.ts";

/** The row of a session, together with the further facts of `session info`. */
export type CatalogDetails = ListedSession & Omit<SessionDetails, Exclude<keyof ListedSession, "forkedFrom">>;

/** A session as commands show it, native or own. Every `OpenedSession` has this shape too. */
export interface CatalogSession {
  readonly details: CatalogDetails;
  readonly leaves: readonly Leaf[];
  readonly problems: SessionDetails["problems"];
  readonly partial: boolean;
  history(options?: { readonly leaf?: string }): AsyncGenerator<Message, void, void>;
  /** The tools that the agent offered its model; left out if no record of its files defines one. */
  tools?(signal?: AbortSignal): Promise<readonly ToolDefinition[]>;
}

export interface CatalogOpenOptions {
  /**
   * If given, only about this many of the newest bytes of a native session are read; of an own session, only its newest
   * events.
   */
  readonly newestBytes?: number;
  /** Says which records of a native session the index knows, so that only the others are read first. */
  readonly index?: IndexOfRecords;
  /** The store of own sessions, if it is already open. It stays open. */
  readonly own?: OpenOwn;
  readonly signal?: AbortSignal;
}

/** Errors: those of opening it. */
export async function openCatalogSession(
  located: LookUpHit,
  places: PlacesAt,
  options: CatalogOpenOptions = {},
): Promise<CatalogSession & Disposable> {
  if (located.kind === "native") {
    const { reader, found, places } = located.native;
    const { index, own: _, ...reading } = options;
    if (index === undefined) return await reader.open(found, places, reading);
    // It is loaded here, because a list does not need it.
    const { indexedScan } = await import("./indexed-scan.ts");
    const scan = await indexedScan(found, places, index);
    return await reader.open(found, places, { ...reading, ...present({ continue: scan ?? undefined }) });
  }
  const reading = options.newestBytes === undefined ? {} : NEWEST;
  const own = options.own ?? (await openOwnAgain(places));
  await using _own = options.own === undefined ? own : null;
  const session = await readOwnSession(located.row, own, reading);
  // Nothing needs to be closed, because everything is in memory.
  return { ...session, [Symbol.dispose]: () => undefined };
}

/**
 * Returns the first messages of the session's active history; none if the session can be opened as fast as they can be
 * found. Errors: those of opening it.
 */
export async function firstMessagesOf(located: LookUpHit): Promise<readonly Message[]> {
  if (located.kind !== "native") return [];
  const { reader, found } = located.native;
  const sizeBytes = found.files.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (sizeBytes < CATALOG_LIMITS.indexedScanBytes) return [];
  return (await reader.firstMessages?.(found)) ?? [];
}

/**
 * Returns the messages that the agent's model would receive on the next resume, after compactions.
 *
 * Errors: `unsupported` for own sessions: the messages depend on the agent that continues them.
 */
export async function modelViewOf(
  located: LookUpHit,
  session: CatalogSession,
  options: { readonly leaf?: string } = {},
): Promise<readonly Message[]> {
  if (located.kind === "native") {
    return located.native.reader.modelView(await Array.fromAsync(session.history(options)));
  }
  const { sessionId, nativeRefs } = located.row;
  const message = `cannot show the model view of session ${sessionId}: it depends on the agent that continues it`;
  const natives = nativeRefs.map(
    (ref) => `\`continuo session show ${shellWord(`${ref.agent}:${ref.sessionId}`)} --model-view\``,
  );
  throw new ContinuoError("unsupported", message, {
    ...(natives.length === 0 ? {} : { hint: `Show it for one agent: ${natives.join(", ")}.` }),
  });
}

interface NewestLimit {
  /** Only this many of the newest events. */
  readonly limit?: number;
}

const NEWEST: NewestLimit = { limit: CATALOG_LIMITS.newestEvents };

/** Reads the messages from the log. The fold is loaded here, because a list does not need it. */
export async function readTranscript(
  { store }: OpenOwn,
  sessionId: string,
  reading: NewestLimit = {},
): Promise<Transcript> {
  const { fromStore } = await import("@continuo/core/transcript/builder");
  return await fromStore(store, sessionId, reading);
}

/** Errors: `not_found` if it was deleted in the meantime. */
async function readOwnSession(row: OwnRow, own: OpenOwn, reading: NewestLimit): Promise<CatalogSession> {
  const transcript = await readTranscript(own, row.sessionId, reading);
  const session = await own.store.getSession(row.sessionId);
  return toCatalogSession(row, transcript, session?.parentId ?? null);
}

/** Pure. */
export function toCatalogSession(
  row: OwnRow,
  transcript: Transcript,
  forkedFrom: string | null,
): CatalogSession {
  const { messages, lastTimestamp } = transcript;
  const leaves = leavesOf(transcript);
  return {
    details: {
      ...row,
      title: row.title ?? toTitle(firstWords(messages)),
      updatedAt:
        [row.updatedAt, lastTimestamp]
          .filter((time) => time !== null)
          .sort()
          .at(-1) ?? null,
      ...countsOf(transcript),
      branches: leaves.length,
      unknownRecords: {},
      agentVersions: [],
      subagents: [],
      forkedFrom,
    },
    leaves,
    problems: [],
    partial: transcript.metadata.older !== undefined,
    tools: async () => transcript.metadata.tools ?? [],
    async *history({ leaf } = {}) {
      if (leaf !== undefined && leaf !== leaves[0]?.id) {
        throw new ContinuoError("not_found", `no branch ends at ${JSON.stringify(leaf)}`);
      }
      yield* messages;
    },
  };
}

type Counts = Pick<CatalogDetails, "messages" | "toolCalls" | "records" | "models" | "usage">;

export function messageCounts(messages: readonly Message[]): CatalogDetails["messages"] {
  const of = (role: Message["role"]): number => messages.filter((message) => message.role === role).length;
  return {
    total: messages.length,
    user: of("user"),
    assistant: of("assistant"),
    tool: of("tool"),
    system: of("system"),
  };
}

function countsOf({ messages, metadata }: Transcript): Counts {
  const blocks = messages.flatMap(({ content }) => content);
  return {
    messages: messageCounts(messages),
    toolCalls: blocks.filter(({ type }) => type === "tool_call").length,
    records: metadata.events,
    models: [...new Set(messages.flatMap(({ model }) => model ?? []))],
    usage: metadata.usage ?? null,
  };
}

function leavesOf({ messages, lastTimestamp }: Transcript): readonly Leaf[] {
  const last = messages.at(-1);
  if (last === undefined) return [];
  const said = messages.findLast(({ role }) => role === "user");
  const label = said === undefined ? null : toTitle(textOf(said.content));
  return [{ id: last.id, active: true, updatedAt: lastTimestamp, messages: messages.length, label }];
}

function firstWords(messages: readonly Message[]): string {
  const first = messages.find(({ role }) => role === "user");
  return first === undefined ? "" : textOf(first.content);
}

/**
 * Returns the ids of the messages of the active branch that the agent no longer sends to its model, because the last
 * summary replaced them; empty if the session was never compacted. Errors: those of `modelViewOf`.
 */
export async function cutOffBy(located: LookUpHit, session: CatalogSession): Promise<ReadonlySet<string>> {
  const history: Message[] = await Array.fromAsync(session.history());
  const summary = history.findLastIndex(({ origin }) => origin === "summary");
  if (summary === -1) return new Set();
  const sent = new Set((await modelViewOf(located, session)).map(({ id }) => id));
  return new Set(
    history
      .slice(0, summary)
      .filter(({ id, origin }) => !sent.has(id) && origin !== "summary")
      .map(({ id }) => id),
  );
}
