/**
 * Hours of many sessions under a fake clock, which the store also uses; the store and the transcriber sometimes fail.
 * At the end each log is compared with what was sent.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ContinuoError, isContinuoError, type Store } from "@continuo/core/model";
import type { EvidenceInput } from "@continuo/core/wire";
import { LiveService, type NoteWriter, parseAudio } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect } from "vitest";
import { withMethods } from "../intercepted.ts";
import { randomFrom } from "../store/harness/random.ts";
import { type FakeClock, fakeClock, untilQuiet } from "./fake-clock.ts";
import { hearing } from "./hearing.ts";
import { hourOfCaptions } from "./hour.ts";
import { said } from "./live-session.ts";
import { COUNTS, checkLog, type LogCounts, nothingSent, type SentIds, speechBytes } from "./sent-items.ts";

export interface Simulation {
  readonly hours: number;
  /** Sessions with a transcript every few seconds, and with one every few minutes. */
  readonly dense: number;
  readonly sparse: number;
  /** The share of all appends that fail. */
  readonly failureShare: number;
  readonly seed: number;
  /** Called after each simulated hour, because a whole day takes more than an hour of real time. */
  readonly onHour?: (hour: number, heapMb: number) => void;
}

export interface SimulationReport extends LogCounts {
  readonly batches: number;
  readonly failures: number;
  readonly checkpoints: { readonly written: number; readonly failed: number };
  readonly abandoned: number;
  readonly longestWaitMs: number;
  readonly heapMb: readonly number[];
}

const MINUTE_MS = 60_000;
/** In every half hour the dense sessions pause for long enough for a pass over their page. */
const HALF_HOUR_MS = 30 * MINUTE_MS;
const REST_MS = 4 * MINUTE_MS;

export async function simulate(simulation: Simulation): Promise<SimulationReport> {
  const { hours, seed } = simulation;
  const randomOf = (name: string): (() => number) => randomFrom(seedOf(`${seed} ${name}`));
  const touched = new Set<string>();
  const counts = { failures: 0, failed: 0, written: 0 };
  const firstWaitMs = new Map<string, number>();
  const during = { count: 0 };
  let service: LiveService | undefined;
  const now: FakeClock = fakeClock(
    () => untilQuiet(async () => during.count === 0 && (await isQuiet(service, real, touched))),
    Date.parse("2026-05-15T08:00:00Z"),
  );
  const real = await openStore("memory:", { now: now.now });
  const store = failingStore(real, { ...simulation, randomOf, randoms: new Map(), touched, counts });
  const writer = recordingWriter(firstWaitMs, now.now);
  const failsToHear = randomOf("hearing");
  const transcriber = hearing(() => failsToHear() < simulation.failureShare);
  const live = new LiveService({ store, clock: now, noteWriters: [writer, refining(writer)], transcriber });
  service = live;
  const beganMs = now.now();
  const sent = await play({ live, store: real, clock: now, randomOf, during }, simulation);
  const heapMb: number[] = [];
  for (let quarter = 1; quarter <= 4; quarter++) {
    const quarterMs = beganMs + (quarter * hours * 60 * MINUTE_MS) / 4;
    while (now.now() < quarterMs) {
      await now.advance(Math.min(60 * MINUTE_MS, quarterMs - now.now()));
      simulation.onHour?.((now.now() - beganMs) / (60 * MINUTE_MS), heapNow());
    }
    heapMb.push(heapNow());
  }
  await now.advance(2 * MINUTE_MS);
  const report = {
    events: 0,
    transcripts: 0,
    frames: 0,
    droppedFrames: 0,
    pictures: 0,
    chunks: 0,
    notes: 0,
    passes: 0,
  };
  for (const [key, one] of sent) {
    const logged = { store: real, sessionId: await live.sessionIdOf(key), notes: await live.notes(key) };
    const counts = await checkLog(logged, [one]);
    for (const name of COUNTS) report[name] += counts[name];
  }
  const states = (await live.list({ limit: 1_000 })).items.map(({ state }) => state);
  await live.stop();
  await real.close();
  return {
    ...report,
    batches: writer.calls,
    failures: counts.failures,
    checkpoints: { written: counts.written, failed: counts.failed },
    abandoned: states.filter((state) => state === "abandoned").length,
    longestWaitMs: Math.max(...firstWaitMs.values()),
    heapMb,
  };
}

interface Play {
  readonly live: LiveService;
  readonly store: Store;
  readonly clock: FakeClock;
  /** The numbers of one activity: the order in which activities end, which the machine decides, changes none of them. */
  readonly randomOf: (name: string) => () => number;
  /** The number of open requests. */
  readonly during: { count: number };
}

/** The work of all clients for this number of hours, and the hourly work of the server. */
async function play(
  { live, store, clock, randomOf, during }: Play,
  { hours, dense, sparse }: Simulation,
): Promise<ReadonlyMap<string, SentIds>> {
  const keys = [...Array(dense + sparse).keys()].map((n) => `${n < dense ? "dense" : "sparse"} ${n}`);
  const words = hourOfCaptions().map(({ text }) => text);
  for (const [n, key] of keys.entries()) {
    await live.open(key, { videoId: key, noteWriter: n % 2 === 0 ? "recorder" : "refiner" });
  }
  const beganMs = clock.now();
  const media = (): number => clock.now() - beganMs;
  const act = (pauseMs: () => number, work: () => Promise<unknown>): void => {
    clock.after(pauseMs(), () => {
      if (media() >= hours * 60 * MINUTE_MS) return;
      during.count++;
      void work().finally(() => {
        during.count--;
        act(pauseMs, work);
      });
    });
  };
  const sent = new Map<string, SentIds>();
  for (const key of keys) {
    const { send: sendAlways, sendAudio, ...all } = sender(live, store, key);
    sent.set(key, all);
    const isDense = key.startsWith("dense");
    const isResting = (): boolean => isDense && media() % HALF_HOUR_MS >= HALF_HOUR_MS - REST_MS;
    const send: Sender["send"] = async (...pieces) => {
      if (!isResting()) await sendAlways(...pieces);
    };
    const [speaking, sounding] = [randomOf(`${key} speaks`), randomOf(`${key} sounds`)];
    let spoken = Math.floor(speaking() * words.length);
    act(
      () => (isDense ? 1_000 + speaking() * 8_000 : MINUTE_MS * (1 + speaking() * 20)),
      () => send(said(words[spoken++ % words.length] ?? "", media(), { endMs: media() + 3_000 })),
    );
    act(
      () => 10 * MINUTE_MS,
      () => live.ping(key),
    );
    act(
      () => MINUTE_MS * (isDense ? 2 : 60) * (0.5 + sounding()),
      async () => {
        if (!isResting()) await sendAudio(media());
      },
    );
    if (!isDense) continue;
    act(
      () => 5_000,
      () => send(frame(media())),
    );
    act(
      () => 2 * MINUTE_MS,
      () => send(frame(media(), `${key} at ${media()}`)),
    );
    const burst = (): readonly Piece[] => Array.from({ length: 30 }, (_, n) => frame(media() + n));
    act(
      () => 7 * MINUTE_MS,
      () => send(...burst()),
    );
  }
  act(
    () => 60 * MINUTE_MS,
    async () => {
      await live.cleanUp();
      await live.frames.purge();
    },
  );
  return sent;
}

interface Frame {
  readonly type: "frame_captured";
  readonly mediaTimeMs: number;
  readonly description: string;
}

/** With `picture` it refers to a picture with that content. */
function frame(mediaTimeMs: number, picture?: string): Frame & { readonly picture?: string } {
  const one = { type: "frame_captured", mediaTimeMs, description: "a frame" } as const;
  return picture === undefined ? one : { ...one, picture };
}

type Piece = EvidenceInput & { readonly picture?: string };

interface Sender extends SentIds {
  readonly send: (...pieces: readonly Piece[]) => Promise<void>;
  readonly sendAudio: (startMs: number) => Promise<void>;
}

/** Sends again what a failing store refused, with the same number. */
function sender(live: LiveService, store: Store, key: string): Sender {
  let sequence = 0;
  const sent = nothingSent(key);
  return {
    ...sent,
    send: async (...pieces) => {
      const evidence: EvidenceInput[] = [];
      for (const [n, { picture, ...piece }] of pieces.entries()) {
        const id = `${sequence}.${n}`;
        if (piece.type === "transcript_added" || piece.type === "frame_captured") sent[piece.type].push(id);
        if (picture === undefined) evidence.push({ ...piece, id } as EvidenceInput);
        else {
          const full = await store.putBlob(Buffer.from(picture), { mediaType: "image/jpeg" });
          sent.pictures.set(id, picture);
          evidence.push({ ...piece, id, full } as EvidenceInput);
        }
      }
      await untilStored(() => live.accept(key, { producerId: "page", epoch: 0, sequence, evidence }));
      sequence++;
    },
    sendAudio: async (startMs) => {
      const id = `chunk ${sent.chunks.length}`;
      sent.chunks.push(id);
      const bytes = speechBytes(sent, id);
      const endMs = startMs + 4_000;
      const upload = parseAudio({ bytes, mediaType: "audio/wav", startMs, endMs, id });
      await untilStored(() => live.acceptAudio(key, upload));
    },
  };
}

async function untilStored(store: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await store();
      return;
    } catch (error) {
      if (!isContinuoError(error, "unavailable")) throw error;
    }
  }
}

interface Recorder extends NoteWriter {
  calls: number;
}

/** Records how long each batch of transcripts waited before it was given to the writer for the first time. */
function recordingWriter(firstWaitMs: Map<string, number>, now: () => number): Recorder {
  const given = new Set<string>();
  const recorder: Recorder = {
    name: "recorder",
    calls: 0,
    write: async ({ batchId, evidence }) => {
      recorder.calls++;
      const spoken = evidence.filter(({ type }) => type === "transcript_added");
      const oldest = spoken.find(({ id }) => !given.has(id));
      if (given.size > 10_000) given.clear();
      for (const { id } of spoken) given.add(id);
      if (oldest !== undefined) {
        const waitedMs = now() - Date.parse(oldest.event.occurredAt);
        firstWaitMs.set("longest", Math.max(waitedMs, firstWaitMs.get("longest") ?? 0));
        // A single transcript waits for its window.
        if (evidence.length === 1) {
          expect(waitedMs).toBeGreaterThanOrEqual(2_000);
          expect(waitedMs).toBeLessThanOrEqual(6_000);
        }
      }
      const [first] = spoken;
      if (first === undefined) return { drafts: [] };
      // A day has fewer notes than the limit of a session.
      if (recorder.calls % 3 > 0) return { drafts: [] };
      const { text, startMs, endMs } = first;
      const ids = evidence.map(({ id }) => id);
      return { drafts: [{ draftId: `${batchId}/1`, text, startMs, endMs, confidence: 0.9, evidence: ids }] };
    },
  };
  return recorder;
}

/** The same writer with passes over the page: each pass takes the outline, and improves the newest note. */
function refining(recorder: Recorder): NoteWriter {
  return {
    name: "refiner",
    write: (request, options) => recorder.write(request, options),
    writePage: async ({ outline, notes }) => {
      const last = notes.at(-1);
      const revisions = last === undefined ? [] : [{ ...last, text: `${last.text} Indeed.` }];
      return { items: outline, revisions };
    },
  };
}

interface Failing {
  readonly failureShare: number;
  readonly randomOf: (name: string) => () => number;
  /** The numbers of each log. */
  readonly randoms: Map<string, () => number>;
  readonly touched: Set<string>;
  readonly counts: { failures: number; failed: number; written: number };
}

function failingStore(store: Store, failing: Failing): Store {
  const { failureShare, randomOf, randoms, touched, counts } = failing;
  const append: Store["append"] = async (logId, events, options) => {
    const isCheckpoint = events.some(({ type }) => type === "checkpoint_written");
    touched.add(logId);
    const random = randoms.get(logId) ?? randomOf(`log ${randoms.size}`);
    randoms.set(logId, random);
    if (random() < failureShare) {
      counts.failures++;
      if (isCheckpoint) counts.failed++;
      // Half of them are stored, and the answer is lost.
      if (random() < 0.5) await store.append(logId, events, options);
      throw new ContinuoError("unavailable", "the store is away for a moment");
    }
    if (isCheckpoint) counts.written++;
    return store.append(logId, events, options);
  };
  const forWorkspace = (id: string): Store => failingStore(store.forWorkspace(id), failing);
  return withMethods(store, { append, forWorkspace });
}

/** It checks only sessions with new events since they were quiet. */
async function isQuiet(live: LiveService | undefined, store: Store, touched: Set<string>): Promise<boolean> {
  if (live === undefined) return true;
  for (const sessionId of [...touched]) {
    if (live.ownerOf(sessionId)?.isBusy === true) return false;
    const { fold, isOver } = await live.follow(sessionId);
    if (!isOver && fold.sequence !== (await store.latestSequence(sessionId))) return false;
    touched.delete(sessionId);
  }
  return true;
}

function heapNow(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return Math.round(process.memoryUsage().heapUsed / 1_048_576);
}

/** FNV-1a. */
function seedOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
