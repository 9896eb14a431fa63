/**
 * The messages that imports stored in a session. A program that follows a session keeps them, so that an import reads only
 * the events that other programs appended since the last one.
 */

import { readAll, type Session, type Store, type StoredEvent } from "@continuo/core/model";

export interface ImportedMessage {
  readonly isHidden: boolean;
  /** The last event that changed it, and its place. */
  readonly eventId: string;
  readonly sequence: number;
}

export interface ImportedMessages {
  /** The key is the id of the message. */
  readonly messages: ReadonlyMap<string, ImportedMessage>;
  /** Takes over what this import appended. */
  note(stored: readonly StoredEvent[]): void;
}

/** Messages that are kept of all sessions together. */
const MAX_KEPT = 50_000;

/** The messages that a program keeps between two imports, of the sessions that changed last. */
export class KeptMessages {
  readonly #max: number;
  readonly #sessions = new Map<string, KnownMessages>();

  constructor(max: number = MAX_KEPT) {
    this.#max = max;
  }

  /** A session that was deleted and created again is read again. */
  take({ sessionId, createdAt }: Session): KnownMessages {
    const kept = this.#sessions.get(sessionId);
    const known = kept?.createdAt === createdAt ? kept : newKnownMessages(createdAt);
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, known);
    return known;
  }

  /** Forgets the sessions that have not changed for the longest time. */
  trim(): void {
    let count = 0;
    for (const { messages } of this.#sessions.values()) count += messages.size;
    for (const [sessionId, { messages }] of this.#sessions) {
      if (count <= this.#max) break;
      count -= messages.size;
      this.#sessions.delete(sessionId);
    }
  }
}

interface KnownMessages {
  readonly createdAt: string;
  readonly messages: Map<string, ImportedMessage>;
  /** All events up to this one are known. */
  sequence: number;
}

function newKnownMessages(createdAt: string): KnownMessages {
  return { createdAt, messages: new Map(), sequence: 0 };
}

const TYPES = ["message_sent", "message_received", "message_deleted"];

export async function importedMessages(
  store: Store,
  session: Session,
  kept?: KeptMessages,
): Promise<ImportedMessages> {
  const { sessionId, createdAt } = session;
  const known = kept?.take(session) ?? newKnownMessages(createdAt);
  const latest = await store.latestSequence(sessionId);
  for await (const event of readAll(store, sessionId, { types: TYPES, after: known.sequence })) {
    noteEvent(known, event);
  }
  known.sequence = Math.max(known.sequence, latest);
  return {
    messages: known.messages,
    note(stored) {
      // If another program appended events between, they are read by the next import, with these.
      if (stored[0]?.sequence !== known.sequence + 1) return;
      for (const event of stored) noteEvent(known, event);
    },
  };
}

function noteEvent(known: KnownMessages, { id, type, data, sequence }: StoredEvent): void {
  known.sequence = Math.max(known.sequence, sequence);
  const { messageId } = data as { readonly messageId?: unknown };
  if (typeof messageId !== "string" || !isOfImport(id, messageId)) return;
  known.messages.set(messageId, { isHidden: type === "message_deleted", eventId: id, sequence });
}

/** The ids of the events of an import, after the id of the message. Other programs may write into the session too. */
const OF_IMPORT = /^\/(?:[0-9a-f]{64}(?:\/\d+)?|hidden\/\d+)$/u;

export function isOfImport(eventId: string, messageId: string): boolean {
  return eventId.startsWith(messageId) && OF_IMPORT.test(eventId.slice(messageId.length));
}
