/** The options of a service, and their defaults. */

import { assertKnownOptions, createIds, type KnownOptions, type Store } from "@continuo/core/model";
import type { FrameDays } from "./evidence/index.ts";
import {
  type Clock,
  type Embedder,
  JointCommits,
  type LevelDepths,
  type LiveBudget,
  levelDepths,
  type NoteRules,
  type NoteWriter,
  noteRules,
  type SessionOwnerSettings,
  SYSTEM_CLOCK,
  type Transcriber,
  type WriterOffers,
} from "./kit/index.ts";
import { writerNamed } from "./state/index.ts";
import { cachingEmbedder, extractiveWriter, lexicalEmbedder } from "./writers/index.ts";

export interface LiveOptions {
  readonly store: Store;
  /** The clock of the machine by default. */
  readonly clock?: Clock;
  /** Clients choose a writer by its name; the first one is the default. Without any, the extractive writer is used. */
  readonly noteWriters?: readonly NoteWriter[];
  /** Writers that are found while the server runs; none by default. */
  readonly writerOffers?: WriterOffers;
  /** Compares notes by their texts; the lexical embedder by default. */
  readonly embedder?: Embedder;
  /** The budget of each session; no limit by default. When it is spent, notes are written without a model. */
  readonly budget?: LiveBudget;
  /** Makes transcripts of audio; without one, audio is refused. */
  readonly transcriber?: Transcriber;
  /** Keeps audio until its video is deleted; otherwise it is deleted once its transcript is stored. */
  readonly keepAudio?: boolean;
  /** The time for which pictures of frames stay: 7 days by default, and their thumbnails 30 days. */
  readonly frameDays?: FrameDays;
  /** With `false`, every window is 4 s. */
  readonly adaptiveBatching?: boolean;
  /** With `false`, no level is recorded or sent. */
  readonly backpressure?: boolean;
  /** The rules by which drafts become notes; a rule that is left out has its default. */
  readonly rules?: Partial<NoteRules>;
  /** The depths at which levels change. */
  readonly levels?: Partial<LevelDepths>;
  /** Replays the sessions of the last day every night, on one server of the store; `false` switches it off. */
  readonly replayNightly?: boolean;
  /** The beginning of this server's name in leases; an id is added. */
  readonly serverName?: string;
  /** `stored` by default. */
  readonly kind?: "stored" | "ephemeral";
  /** A `reader` owns no session, makes no notes and ends nothing, even when the owner is gone. `owner` by default. */
  readonly role?: "owner" | "reader";
  readonly report?: (line: string) => void;
}

const RULES: KnownOptions<NoteRules> = {
  overlap: true,
  similarity: true,
  confidence: true,
  openQuestions: true,
  questionTokens: true,
};
const OPTIONS: KnownOptions<LiveOptions> = {
  store: true,
  clock: true,
  noteWriters: true,
  writerOffers: true,
  embedder: true,
  budget: true,
  transcriber: true,
  keepAudio: true,
  frameDays: true,
  adaptiveBatching: true,
  backpressure: true,
  rules: true,
  levels: true,
  replayNightly: true,
  serverName: true,
  kind: true,
  role: true,
  report: true,
};

/** Errors: `usage` for an unknown option. */
export function assertLiveOptions(what: string, options: Partial<LiveOptions>): void {
  assertKnownOptions(what, options, OPTIONS);
  assertKnownOptions("budget", options.budget ?? {}, { maxTokens: true, maxCostUsd: true });
  assertKnownOptions("frameDays", options.frameDays ?? {}, { full: true, thumbnail: true });
  assertKnownOptions("rules", options.rules ?? {}, RULES);
  assertKnownOptions("levels", options.levels ?? {}, { normal: true, warning: true, critical: true });
}

/** Errors: `invalid` for a rule or a depth out of its range. */
export function settingsOf(options: LiveOptions): SessionOwnerSettings {
  const { store, clock = SYSTEM_CLOCK, report = () => undefined } = options;
  const { noteWriters = [extractiveWriter()], adaptiveBatching = true, backpressure = true } = options;
  return {
    store,
    runStore: store.forWorkspace(store.workspaceId),
    commits: new JointCommits(),
    clock,
    newId: createIds({ now: clock.now, random: (bytes) => void crypto.getRandomValues(bytes) }),
    noteWriters,
    writerOffers: options.writerOffers ?? null,
    writerOf: (name) => writerNamed(noteWriters, name, options.writerOffers),
    embedder: cachingEmbedder(options.embedder ?? lexicalEmbedder()),
    budget: options.budget ?? null,
    transcriber: options.transcriber ?? null,
    keepAudio: options.keepAudio === true,
    adaptiveBatching,
    backpressure,
    rules: noteRules(options.rules),
    levels: levelDepths(options.levels),
    report,
  };
}
