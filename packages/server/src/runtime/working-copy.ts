/**
 * The working copy of a replay: a session in memory with the beginning of the session that is replayed. A replay that is
 * killed therefore leaves nothing in the store, and no worker sees its runs.
 */

import {
  ContinuoError,
  type NewEvent,
  present,
  readAll,
  type Session,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { openStore } from "@continuo/store";
import type { RunInput } from "@continuo/store/sessions";

export interface WorkingCopy extends AsyncDisposable {
  readonly store: Store;
  /**
   * Creates a session with the events up to this sequence, which must not be smaller than the one before, and deletes the
   * one that it created before. The store has the files of the input. Errors: `too_large` above `MAX_COPY_CHARS`.
   */
  fork(upTo: number, input: RunInput): Promise<Session>;
}

/** The approximate number of characters of events, and of bytes of files, that a working copy has in memory. */
const MAX_COPY_CHARS = 268_435_456;
/** Events of one append, and the approximate number of characters in them. */
const APPEND_EVENTS = 256;
const APPEND_CHARS = 4_194_304;

/** Each event is copied once. Pruned events have no content, and are left out, as in a transcript. */
export async function openWorkingCopy(
  source: Store,
  original: Session,
  maxChars: number = MAX_COPY_CHARS,
): Promise<WorkingCopy> {
  const { sessionId } = original;
  const store = await openStore("memory:");
  try {
    await store.createSession(beginningOf(original));
  } catch (error) {
    await store.close();
    throw error;
  }
  let copied = 0;
  let copiedChars = 0;
  let last: string | null = null;
  const count = (chars: number): void => {
    copiedChars += chars;
    if (copiedChars > maxChars) throw tooLarge(sessionId, maxChars);
  };
  const copyUpTo = async (upTo: number): Promise<void> => {
    let [batch, chars]: [NewEvent[], number] = [[], 0];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await store.append(sessionId, batch);
      [batch, chars] = [[], 0];
    };
    for await (const event of readAll(source, sessionId, { after: copied, before: upTo + 1 })) {
      copied = event.sequence;
      if (event.pruned !== undefined || event.type === "session_created") continue;
      batch.push(copyOf(event));
      const length = JSON.stringify(event.data).length;
      count(length);
      chars += length;
      if (batch.length >= APPEND_EVENTS || chars >= APPEND_CHARS) await flush();
    }
    await flush();
  };
  return {
    store,
    async fork(upTo, input) {
      if (last !== null) await store.deleteSession(last, { reason: "its input was replayed" });
      await copyUpTo(upTo);
      await copyBlobs(source, store, { input, count });
      const fork = await store.createSession({ forkedFrom: { logId: sessionId } });
      last = fork.sessionId;
      return fork;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function beginningOf({ sessionId, title, agent, cwd }: Session): Parameters<Store["createSession"]>[0] {
  return {
    sessionId,
    ...present({ title: title ?? undefined, agent: agent ?? undefined, cwd: cwd ?? undefined }),
  };
}

/** The blobs of earlier events stay in the store of the program, where its agent reads them. */
function copyOf({ id, type, data, actor, runId, occurredAt, retention }: StoredEvent): NewEvent {
  return { id, type, data, actor, occurredAt, retention, ...present({ runId }) };
}

interface CopiedInput {
  readonly input: RunInput;
  /** Counts the bytes. Errors: `too_large`. */
  readonly count: (bytes: number) => void;
}

/** A run begins only if the blobs of its input are in its store. */
async function copyBlobs(source: Store, target: Store, { input, count }: CopiedInput): Promise<void> {
  for (const block of typeof input === "string" ? [] : input) {
    const hash = block.type === "image" || block.type === "file" ? block.blob : undefined;
    if (hash === undefined || (await target.statBlob(hash)) !== null) continue;
    const { bytes, mediaType, sizeBytes } = await source.openBlob(hash);
    count(sizeBytes);
    await target.putBlob(bytes, { mediaType });
  }
}

function tooLarge(sessionId: string, maximum: number): ContinuoError {
  return new ContinuoError(
    "too_large",
    `a replay in memory of the session ${sessionId} takes too much memory`,
    {
      hint: "Use `keep: true`, which copies nothing.",
      hintFor: "program",
      details: { sessionId, maximum },
    },
  );
}
