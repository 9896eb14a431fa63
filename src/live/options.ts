/** What a service is made with, and the defaults. */

import { createIds, type Store } from "../model/index.ts";
import { SYSTEM_CLOCK } from "./clock.ts";
import { extractiveWriter } from "./extractive-writer.ts";
import type { FrameDays } from "./frames.ts";
import type { KeeperSettings } from "./keeper.ts";
import { lexicalEmbedder } from "./lexical-embedder.ts";
import { writerNamed } from "./refusals.ts";
import { rememberingEmbedder } from "./remembering-embedder.ts";
import type { Clock, Embedder, LiveBudget, NoteWriter, Transcriber } from "./types.ts";

export interface LiveOptions {
  readonly store: Store;
  /** The machine's where none is given. */
  readonly clock?: Clock;
  /** By name; the first one is the default. The extractive one where none is given. */
  readonly noteWriters?: readonly NoteWriter[];
  /** Compares notes by their texts; the lexical one where none is given. */
  readonly embedder?: Embedder;
  /** Of each session; none where it is left out. When it is spent, notes are written without a model. */
  readonly budget?: LiveBudget;
  /** Makes transcripts of audio; without one, audio is refused. */
  readonly transcriber?: Transcriber;
  /** Keeps audio for 30 days after its transcript was made. */
  readonly keepAudio?: boolean;
  /** How long the pictures of frames stay: 7 days, their thumbnails 30, where none is given. */
  readonly frameDays?: FrameDays;
  /** `false`: every window is 4 s. */
  readonly adaptiveBatching?: boolean;
  /** `false`: no level is recorded or sent. */
  readonly backpressure?: boolean;
  /** Replays the sessions of the last day every night, on one server. */
  readonly replayNightly?: boolean;
  /** The beginning of this server's name in leases; an id follows. */
  readonly serverName?: string;
  /** `stored` where none is given. */
  readonly kind?: "stored" | "ephemeral";
  /** `reader`: it owns no session, makes no notes and ends nothing, whoever else is gone. `owner` where none is given. */
  readonly role?: "owner" | "reader";
  readonly report?: (line: string) => void;
}

export function settingsOf(options: LiveOptions): KeeperSettings {
  const { store, clock = SYSTEM_CLOCK, report = () => undefined } = options;
  const { noteWriters = [extractiveWriter()], adaptiveBatching = true, backpressure = true } = options;
  return {
    store,
    runStore: store.forWorkspace(store.workspaceId),
    clock,
    newId: createIds({ now: clock.now, random: (bytes) => void crypto.getRandomValues(bytes) }),
    writerOf: (name) => writerNamed(noteWriters, name),
    embedder: rememberingEmbedder(options.embedder ?? lexicalEmbedder()),
    budget: options.budget ?? null,
    transcriber: options.transcriber ?? null,
    keepAudio: options.keepAudio === true,
    adaptiveBatching,
    backpressure,
    report,
  };
}
