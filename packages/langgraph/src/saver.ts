/** The checkpointer: a thread of LangGraph is a session; each checkpoint and pending write is an event of its log. */

import { randomUUID } from "node:crypto";
import { ContinuoError, isContinuoError, listAll, type NewEvent, type Store } from "@continuo/core/model";
import { type AdapterSession, adapterSession, blobOf, KeyedQueue, keepBytes } from "@continuo/store/adapters";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type DeltaChannelHistory,
  type PendingWrite,
  type SerializerProtocol,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import { deltaHistory } from "./delta-history.ts";
import { LIMITS } from "./limits.ts";
import { RecentMap } from "./recent-map.ts";
import {
  CHECKPOINT,
  type CheckpointRecord,
  checkpointOf,
  eventId,
  type ValuePlace,
  WRITE,
  type WriteRecord,
} from "./records.ts";
import { type CheckpointKey, type RunnableConfig, requiredPlace, TupleReader, threadOf } from "./tuples.ts";
import { findCheckpoint, newestFirst } from "./walk.ts";

export interface ContinuoSaverOptions {
  /** The serializer of LangGraph's values; by default LangGraph's own, which is JSON with the types of JavaScript. */
  readonly serde?: SerializerProtocol;
  /** Returns the id of the session of a thread; by default the thread's id. */
  readonly sessionIdOf?: (threadId: string) => string;
}

type Places = Readonly<Record<string, ValuePlace>>;

export class ContinuoSaver extends BaseCheckpointSaver {
  readonly #store: Store;
  readonly #sessionIdOf: (threadId: string) => string;
  readonly #inOrder = new KeyedQueue();
  /** Places of the values of checkpoints that this process has put. */
  readonly #places = new RecentMap<Places>(LIMITS.knownCheckpoints);
  /** The sequences of the first writes to checkpoints that this process has not put yet. */
  readonly #early = new RecentMap<number>(LIMITS.knownCheckpoints);

  /** The store belongs to the caller, who closes it. */
  constructor(store: Store, options: ContinuoSaverOptions = {}) {
    super(options.serde);
    this.#store = store;
    this.#sessionIdOf = options.sessionIdOf ?? ((threadId) => threadId);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread, ns, checkpoint } = threadOf(config);
    if (thread === undefined) return undefined;
    const session = this.#sessionOf(thread);
    if (checkpoint !== undefined) return await this.#reader(thread).byId({ ns, checkpoint });
    for await (const found of newestFirst(session, ns)) return await this.#reader(thread).toTuple(found);
    return undefined;
  }

  override async *list(
    config: RunnableConfig,
    { limit, before, filter }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { thread, checkpoint } = threadOf(config);
    const ns: string | undefined = config.configurable?.checkpoint_ns;
    const until: string | undefined = before?.configurable?.checkpoint_id;
    let left = limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    for await (const one of thread === undefined ? this.#threads() : [thread]) {
      const reader = this.#reader(one);
      for await (const found of newestFirst(this.#sessionOf(one), ns)) {
        const { record } = found;
        if (checkpoint !== undefined && record.checkpoint !== checkpoint) continue;
        if (until !== undefined && record.checkpoint >= until) continue;
        if (filter !== undefined && !(await reader.isMatch(record, filter))) continue;
        yield await reader.toTuple(found);
        if (--left <= 0) return;
      }
    }
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#ofThread(config, async (thread, ns) => {
      const parent = threadOf(config).checkpoint;
      const place = { ns, checkpoint: checkpoint.id };
      const inherited = parent === undefined ? {} : await this.#placesOf(thread, { ns, checkpoint: parent });
      const { channel_values: given, ...body } = checkpoint;
      const changed = Object.keys(newVersions).filter((channel) => given[channel] !== undefined);
      const kept = await Promise.all(changed.map((channel) => this.#keep(given[channel])));
      const record: CheckpointRecord = {
        ...place,
        ...(parent === undefined ? {} : { parent }),
        body: await this.#keep(body),
        metadata: await this.#keep(metadata),
        values: Object.fromEntries(
          changed.map((channel, at) => [channel, kept[at]] as const),
        ) as CheckpointRecord["values"],
        places: placesAfter(inherited, checkpoint, { newVersions, event: idOf(place) }),
      };
      await this.#append(thread, place, record);
      return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: checkpoint.id } };
    });
  }

  override putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    return this.#ofThread(config, async (thread, ns) => {
      const { checkpoint } = requiredPlace(config);
      const records = await Promise.all(
        writes.map(async ([channel, value], at): Promise<WriteRecord> => {
          const index = WRITES_IDX_MAP[channel] ?? at;
          const rest = { task: taskId, path: taskPath, index, channel, value: await this.#keep(value) };
          return { ns, checkpoint, ...rest };
        }),
      );
      const first = await this.#appendWrites(this.#sessionOf(thread), records);
      const key = keyOf(thread, { ns, checkpoint });
      const isPut = this.#places.get(key) !== undefined;
      if (first !== undefined && !isPut && this.#early.get(key) === undefined) this.#early.set(key, first);
    });
  }

  /**
   * Errors: `conflict` for a session that this checkpointer did not make, because it may contain more than the thread.
   */
  override async deleteThread(threadId: string): Promise<void> {
    const sessionId = this.#sessionIdOf(threadId);
    const session = await this.#store.getSession(sessionId);
    if (session === null) return;
    if (session.metadata[KIND] !== "thread") {
      throw new ContinuoError("conflict", `the session ${sessionId} was not made by LangGraph`, {
        hint: "Use `deleteSession` of the store to delete the whole session.",
      });
    }
    await this.#store.deleteSession(sessionId, { reason: "LangGraph deleted the thread" });
  }

  /** Reads the log in one pass; LangGraph's default reads each ancestor separately. */
  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const { thread, ns, checkpoint } = threadOf(options.config);
    if (options.channels.length === 0) return {};
    const found = thread === undefined ? [] : newestFirst(this.#sessionOf(thread), ns);
    return await deltaHistory(found, this.#reader(thread ?? ""), { checkpoint, channels: options.channels });
  }

  #sessionOf(thread: string): AdapterSession {
    return adapterSession(this.#store, this.#sessionIdOf(thread), {
      agent: "langgraph",
      metadata: { [KIND]: "thread", [THREAD]: thread },
    });
  }

  #reader(thread: string): TupleReader {
    return new TupleReader({
      store: this.#store,
      serde: this.serde,
      session: this.#sessionOf(thread),
      thread,
    });
  }

  async *#threads(): AsyncGenerator<string> {
    const sessions = listAll((place) =>
      this.#store.listSessions({ ...place, metadata: { [KIND]: "thread" } }),
    );
    for await (const { sessionId, metadata } of sessions) yield String(metadata[THREAD] ?? sessionId);
  }

  async #keep(value: unknown): Promise<Awaited<ReturnType<typeof keepBytes>>> {
    return await keepBytes(this.#store, ...(await this.serde.dumpsTyped(value)));
  }

  #ofThread<Result>(
    config: RunnableConfig,
    work: (thread: string, ns: string) => Promise<Result>,
  ): Promise<Result> {
    const { thread, ns } = threadOf(config);
    if (thread === undefined) {
      const hint = 'Give one: graph.invoke(input, { configurable: { thread_id: "…" } }).';
      return Promise.reject(new ContinuoError("invalid", "configurable has no thread_id", { hint }));
    }
    return this.#inOrder.run(thread, () => work(thread, ns));
  }

  async #placesOf(thread: string, place: CheckpointKey): Promise<Places> {
    const known = this.#places.get(keyOf(thread, place));
    if (known !== undefined) return known;
    const found = await findCheckpoint(this.#sessionOf(thread), idOf(place), place);
    return found?.record.places ?? {};
  }

  async #append(thread: string, place: CheckpointKey, record: CheckpointRecord): Promise<void> {
    const session = this.#sessionOf(thread);
    const key = keyOf(thread, place);
    const since = this.#early.get(key);
    let stored = since === undefined ? record : { ...record, since };
    try {
      await session.append([eventOf(stored, idOf(place))]);
    } catch (error) {
      if (!isContinuoError(error, "conflict")) throw error;
      // The checkpoint was stored earlier with other content. The newest content counts, and the pending writes of the
      // earlier one stay.
      const before = (await session.read({ id: idOf(place), limit: 1 })).events.map(checkpointOf)[0];
      if (before === undefined) throw error;
      const id = randomUUID();
      const places = Object.entries(record.places).map(([channel, { event, version }]) => {
        return [channel, { event: event === idOf(place) ? id : event, version }] as const;
      });
      stored = {
        ...record,
        places: Object.fromEntries(places),
        since: before.record.since ?? before.sequence,
      };
      await session.append([eventOf(stored, id)]);
    }
    this.#places.set(key, stored.places);
    this.#early.delete(key);
  }

  /** Returns the sequence of the first new event; `undefined` if all were stored before. */
  async #appendWrites(session: AdapterSession, records: readonly WriteRecord[]): Promise<number | undefined> {
    const events = records.map(writeEvent);
    if (events.length === 0) return undefined;
    try {
      return (await session.append(events))[0]?.sequence;
    } catch (error) {
      if (!isContinuoError(error, "conflict")) throw error;
    }
    // An earlier attempt stored some of the events; those stay as they are.
    const missing: NewEvent[] = [];
    for (const event of events) {
      const isThere =
        event.id !== undefined && (await session.read({ id: event.id, limit: 1 })).events.length > 0;
      if (!isThere) missing.push(event);
    }
    return missing.length === 0 ? undefined : (await session.append(missing))[0]?.sequence;
  }
}

/** Keys of the metadata of a thread's session. */
const KIND = "langgraph";
const THREAD = "langgraphThread";

function keyOf(thread: string, { ns, checkpoint }: CheckpointKey): string {
  return JSON.stringify([thread, ns, checkpoint]);
}

function idOf({ ns, checkpoint }: CheckpointKey): string {
  return eventId(CHECKPOINT, ns, checkpoint);
}

function eventOf(record: CheckpointRecord, id: string): NewEvent {
  const blobs = [record.body, record.metadata, ...Object.values(record.values)].flatMap(blobOf);
  return { id, type: CHECKPOINT, data: record, ...blobsOf(blobs) };
}

/** A special write (an error, an interrupt) replaces the previous one; an ordinary write is stored once. */
function writeEvent(record: WriteRecord): NewEvent {
  const { ns, checkpoint, task, index } = record;
  const id = index < 0 ? {} : { id: eventId(WRITE, ns, checkpoint, task, index) };
  return { type: WRITE, data: record, ...id, ...blobsOf(blobOf(record.value)) };
}

function blobsOf(hashes: readonly string[]): Pick<NewEvent, "blobs"> {
  return hashes.length === 0 ? {} : { blobs: [...new Set(hashes)] };
}

/** A value of the parent stays in its event as long as the checkpoint has the same version of it. */
function placesAfter(
  inherited: Places,
  checkpoint: Checkpoint,
  { newVersions, event }: { readonly newVersions: ChannelVersions; readonly event: string },
): Places {
  const versions = Object.entries(checkpoint.channel_versions);
  const places = versions.flatMap(([channel, version]): [string, ValuePlace][] => {
    if (channel in newVersions) {
      const isStored = checkpoint.channel_values[channel] !== undefined;
      return isStored ? [[channel, { event, version }]] : [];
    }
    const place = inherited[channel];
    return place?.version === version ? [[channel, place]] : [];
  });
  return Object.fromEntries(places);
}
