/** The events of the saver in the log of a thread. */

import { createHash } from "node:crypto";
import type { StoredEvent } from "@continuo/core/model";
import type { KeptBytes } from "@continuo/store/adapters";

export const CHECKPOINT = "langgraph.checkpoint";
export const WRITE = "langgraph.write";

/** Names the event that has the value of a channel, and the version of that value. */
export interface ValuePlace {
  readonly event: string;
  readonly version: number | string;
}

export interface CheckpointRecord {
  readonly ns: string;
  readonly checkpoint: string;
  readonly parent?: string;
  /** The checkpoint without the values of its channels. */
  readonly body: KeptBytes;
  readonly metadata: KeptBytes;
  /** Values that changed with this checkpoint. */
  readonly values: Readonly<Record<string, KeptBytes>>;
  /** All channels that have a value, including those whose values are in earlier events. */
  readonly places: Readonly<Record<string, ValuePlace>>;
  /** The sequence of the first write to this checkpoint, if it was stored before the checkpoint. */
  readonly since?: number;
}

export interface WriteRecord {
  readonly ns: string;
  readonly checkpoint: string;
  readonly task: string;
  readonly path: string;
  readonly index: number;
  readonly channel: string;
  readonly value: KeptBytes;
}

/** A checkpoint as it was found in the log. */
export interface FoundCheckpoint {
  readonly sequence: number;
  readonly record: CheckpointRecord;
}

export function checkpointOf({ sequence, data }: StoredEvent): FoundCheckpoint {
  return { sequence, record: data as CheckpointRecord };
}

export function writeOf({ data }: StoredEvent): WriteRecord {
  return data as WriteRecord;
}

/** The id is a hash, because names may be longer than the id of an event. */
export function eventId(...parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
