/** Makes checkpoints in LangGraph's form from the events of the log. */

import { ContinuoError, type Store } from "@continuo/core/model";
import { type AdapterSession, type KeptBytes, keptBytes } from "@continuo/store/adapters";
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  getCheckpointId,
  maxChannelVersion,
  type SerializerProtocol,
  TASKS,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";
import { CHECKPOINT, type CheckpointRecord, checkpointOf, eventId, type WriteRecord } from "./records.ts";
import { type FoundTuple, findCheckpoint } from "./walk.ts";

/** The type of `@langchain/core`, without an import of that package. */
export type RunnableConfig = Parameters<BaseCheckpointSaver["getTuple"]>[0];

export interface CheckpointKey {
  readonly ns: string;
  readonly checkpoint: string;
}

interface ThreadPlace {
  readonly thread: string | undefined;
  readonly ns: string;
  readonly checkpoint: string | undefined;
}

export function threadOf(config: RunnableConfig): ThreadPlace {
  const { thread_id: thread, checkpoint_ns: ns = "" } = config.configurable ?? {};
  for (const [name, value] of Object.entries({ thread_id: thread ?? "", checkpoint_ns: ns })) {
    if (typeof value !== "string") throw new ContinuoError("invalid", `${name} is not a text`);
  }
  return { thread, ns, checkpoint: getCheckpointId(config) || undefined };
}

export function requiredPlace(config: RunnableConfig): CheckpointKey {
  const { ns, checkpoint } = threadOf(config);
  if (checkpoint === undefined) throw new ContinuoError("invalid", "configurable has no checkpoint_id");
  return { ns, checkpoint };
}

export interface TupleSource {
  readonly store: Store;
  readonly serde: SerializerProtocol;
  readonly session: AdapterSession;
  readonly thread: string;
}

export class TupleReader {
  readonly #source: TupleSource;

  constructor(source: TupleSource) {
    this.#source = source;
  }

  async byId(place: CheckpointKey): Promise<CheckpointTuple | undefined> {
    const found = await this.#find(place);
    return found === undefined ? undefined : await this.toTuple(found);
  }

  async toTuple(found: FoundTuple): Promise<CheckpointTuple> {
    const { ns, checkpoint: id, parent, body, metadata } = found.record;
    const config = (checkpoint: string): RunnableConfig => ({
      configurable: { thread_id: this.#source.thread, checkpoint_ns: ns, checkpoint_id: checkpoint },
    });
    const checkpoint = {
      ...((await this.load(body)) as Checkpoint),
      channel_values: await this.valuesOf(found.record),
    };
    if (checkpoint.v < 4 && parent !== undefined)
      await this.#addPendingSends(checkpoint, { ns, checkpoint: parent });
    return {
      config: config(id),
      checkpoint,
      metadata: (await this.load(metadata)) as CheckpointMetadata,
      pendingWrites: await this.writesOf(found),
      ...(parent === undefined ? {} : { parentConfig: config(parent) }),
    };
  }

  async isMatch(record: CheckpointRecord, filter: Readonly<Record<string, unknown>>): Promise<boolean> {
    const metadata = (await this.load(record.metadata)) as Readonly<Record<string, unknown>>;
    return Object.entries(filter).every(([key, value]) => metadata[key] === value);
  }

  /** Returns the values of all channels, or of some of them; unchanged values are in earlier checkpoints. */
  async valuesOf(record: CheckpointRecord, only?: ReadonlySet<string>): Promise<Record<string, unknown>> {
    const sources = new Map<string, CheckpointRecord["values"]>();
    const values: Record<string, unknown> = {};
    for (const [channel, { event }] of Object.entries(record.places)) {
      if (only !== undefined && !only.has(channel)) continue;
      const stored =
        record.values[channel] === undefined ? await this.#valuesIn(event, sources) : record.values;
      const kept = stored[channel];
      if (kept === undefined)
        throw new ContinuoError("corrupt", `the event ${event} has no value for the channel ${channel}`);
      define(values, channel, await this.load(kept));
    }
    return values;
  }

  /** In the order in which LangGraph applies them. */
  async writesOf({ writes }: Pick<FoundTuple, "writes">): Promise<CheckpointPendingWrite[]> {
    return await Promise.all(
      inOrder(writes).map(async ({ task, channel, value }): Promise<CheckpointPendingWrite> => {
        return [task, channel, await this.load(value)];
      }),
    );
  }

  async load(kept: KeptBytes): Promise<unknown> {
    const { store, serde } = this.#source;
    return await serde.loadsTyped(kept.type, "text" in kept ? kept.text : await keptBytes(store, kept));
  }

  async #valuesIn(
    event: string,
    known: Map<string, CheckpointRecord["values"]>,
  ): Promise<CheckpointRecord["values"]> {
    const stored = known.get(event);
    if (stored !== undefined) return stored;
    const { events } = await this.#source.session.read({ id: event, limit: 1 });
    const values = events.map(checkpointOf)[0]?.record.values ?? {};
    known.set(event, values);
    return values;
  }

  async #find(place: CheckpointKey): Promise<FoundTuple | undefined> {
    return await findCheckpoint(this.#source.session, eventId(CHECKPOINT, place.ns, place.checkpoint), place);
  }

  /** Before version 4, LangGraph stored what a step sends in the writes of the previous checkpoint. */
  async #addPendingSends(checkpoint: Checkpoint, parent: CheckpointKey): Promise<void> {
    const found = await this.#find(parent);
    const writes = found === undefined ? [] : await this.writesOf(found);
    checkpoint.channel_values[TASKS] = writes
      .filter(([, channel]) => channel === TASKS)
      .map(([, , sent]) => sent);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions = {
      ...checkpoint.channel_versions,
      [TASKS]: versions.length > 0 ? maxChannelVersion(...versions) : 1,
    };
  }
}

function inOrder(writes: readonly WriteRecord[]): readonly WriteRecord[] {
  const byKey = new Map<string, WriteRecord>();
  for (const write of writes) byKey.set(JSON.stringify([write.task, write.index]), write);
  return [...byKey.values()].sort((a, b) =>
    compareWritesSortKeys(writesSortKey(a.path, a.task, a.index), writesSortKey(b.path, b.task, b.index)),
  );
}

/** A channel may have any name, even `__proto__`. */
function define(values: Record<string, unknown>, channel: string, value: unknown): void {
  Object.defineProperty(values, channel, { value, enumerable: true, configurable: true, writable: true });
}
