/**
 * Reads a delta channel of LangGraph: its last complete value, and the writes after it, from a checkpoint and its
 * ancestors.
 */

import type { CheckpointPendingWrite, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import type { TupleReader } from "./tuples.ts";
import type { FoundTuple } from "./walk.ts";

export interface DeltaQuestion {
  /** The checkpoint to begin at; the newest one by default. */
  readonly checkpoint: string | undefined;
  readonly channels: readonly string[];
}

interface CollectedSteps {
  readonly steps: (readonly CheckpointPendingWrite[])[];
  seed?: { readonly value: unknown };
}

/** @param found the checkpoints of one namespace, newest first: an ancestor always comes after its descendants */
export async function deltaHistory(
  found: AsyncIterable<FoundTuple> | Iterable<FoundTuple>,
  reader: TupleReader,
  { checkpoint, channels }: DeltaQuestion,
): Promise<Record<string, DeltaChannelHistory>> {
  const collected = new Map(channels.map((channel): [string, CollectedSteps] => [channel, { steps: [] }]));
  const remaining = new Set(channels);
  let wanted = checkpoint;
  let isTarget = true;
  for await (const tuple of found) {
    const { record } = tuple;
    if (wanted !== undefined && record.checkpoint !== wanted) continue;
    if (!isTarget) await collect(tuple);
    isTarget = false;
    wanted = record.parent;
    if (wanted === undefined || remaining.size === 0) break;
  }
  return Object.fromEntries([...collected].map(([channel, one]) => [channel, historyOf(one)]));

  async function collect(tuple: FoundTuple): Promise<void> {
    const ofChannels = tuple.writes.filter(({ channel }) => remaining.has(channel));
    const writes = await reader.writesOf({ writes: ofChannels });
    const values = await reader.valuesOf(tuple.record, remaining);
    for (const channel of [...remaining]) {
      collected.get(channel)?.steps.unshift(writes.filter(([, of]) => of === channel));
      if (values[channel] === undefined) continue;
      const one = collected.get(channel);
      if (one !== undefined) one.seed = { value: values[channel] };
      remaining.delete(channel);
    }
  }
}

function historyOf({ steps, seed }: CollectedSteps): DeltaChannelHistory {
  return { writes: steps.flat(), ...(seed === undefined ? {} : { seed: seed.value }) };
}
