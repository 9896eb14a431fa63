/**
 * The working copy of a replay: a session in memory with the beginning of the session that is replayed. A replay that is
 * killed therefore leaves nothing in the store, and no worker sees its runs.
 */

import {
  type NewEvent,
  present,
  readAll,
  type Session,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { openStore } from "@continuo/store";

export interface WorkingCopy extends AsyncDisposable {
  readonly store: Store;
  /**
   * Creates a session with the events up to this sequence, which must not be smaller than the one before, and deletes the
   * one that it created before.
   */
  fork(upTo: number): Promise<Session>;
}

/** Events of one append, and the approximate number of characters in them. */
const APPEND_EVENTS = 256;
const APPEND_CHARS = 4_194_304;

/** Each event is copied once. Pruned events have no content, and are left out, as in a transcript. */
export async function openWorkingCopy(source: Store, original: Session): Promise<WorkingCopy> {
  const { sessionId, title, agent, cwd } = original;
  const store = await openStore("memory:");
  await store.createSession({
    sessionId,
    ...present({ title: title ?? undefined, agent: agent ?? undefined, cwd: cwd ?? undefined }),
  });
  let copied = 0;
  let last: string | null = null;
  const copyUpTo = async (upTo: number): Promise<void> => {
    let [batch, chars]: [NewEvent[], number] = [[], 0];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await store.append(sessionId, batch);
      [batch, chars] = [[], 0];
    };
    for await (const event of readAll(source, sessionId, { after: copied })) {
      if (event.sequence > upTo) break;
      copied = event.sequence;
      if (event.pruned !== undefined || event.type === "session_created") continue;
      batch.push(copyOf(event));
      chars += JSON.stringify(event.data).length;
      if (batch.length >= APPEND_EVENTS || chars >= APPEND_CHARS) await flush();
    }
    await flush();
  };
  return {
    store,
    async fork(upTo) {
      if (last !== null) await store.deleteSession(last, { reason: "its input was replayed" });
      await copyUpTo(upTo);
      const fork = await store.createSession({ forkedFrom: { logId: sessionId } });
      last = fork.sessionId;
      return fork;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** The blobs of an event stay in the store of the program, where its agent reads them. */
function copyOf({ id, type, data, actor, runId, occurredAt, retention }: StoredEvent): NewEvent {
  return { id, type, data, actor, occurredAt, retention, ...present({ runId }) };
}
