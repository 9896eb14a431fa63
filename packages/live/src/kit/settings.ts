/** Settings of the work on a session, which all of its parts share. */

import type { Store } from "@continuo/core/model";
import type { JointCommits } from "./joint-commits.ts";
import type { LevelDepths, NoteRules } from "./tuning.ts";
import type { Clock, Embedder, LiveBudget, NoteWriter, Transcriber, WriterOffers } from "./types.ts";

export interface SessionOwnerSettings {
  readonly store: Store;
  /** A separate view of the same store, with its own slots for runs. */
  readonly runStore: Store;
  readonly commits: JointCommits;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly noteWriters: readonly NoteWriter[];
  readonly writerOffers: WriterOffers | null;
  readonly writerOf: (name: string | null) => NoteWriter;
  readonly embedder: Embedder;
  readonly budget: LiveBudget | null;
  readonly transcriber: Transcriber | null;
  readonly keepAudio: boolean;
  readonly adaptiveBatching: boolean;
  readonly backpressure: boolean;
  readonly rules: NoteRules;
  readonly levels: LevelDepths;
  readonly report: (line: string) => void;
}
