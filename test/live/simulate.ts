/** Hours of many sessions under a fake clock, with a store that fails now and then. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { LiveService, type NoteWriter } from "../../src/live/index.ts";
import { ContinuoError, isContinuoError, type Store, type StoredEvent } from "../../src/model/index.ts";
import { openStore } from "../../src/store/index.ts";
import type { EvidenceInput } from "../../src/wire/index.ts";
import { type FakeClock, fakeClock, untilQuiet } from "./fake-clock.ts";
import { said } from "./live-session.ts";
import { allEvents, decidedSequences, sequencesOf } from "./servers.ts";

export interface Simulation {
  readonly hours: number;
  /** Sessions with a transcript every few seconds, and with one every few minutes. */
  readonly dense: number;
  readonly sparse: number;
  /** Of all appends. */
  readonly failureShare: number;
  readonly seed: number;
  /** Called after each simulated hour: a whole day takes an hour of the machine and more. */
  readonly onHour?: (hour: number, heapMb: number) => void;
}

export interface SimulationReport {
  readonly events: number;
  readonly transcripts: number;
  readonly frames: number;
  readonly droppedFrames: number;
  readonly batches: number;
  readonly failures: number;
  readonly checkpoints: { readonly written: number; readonly failed: number };
  readonly abandoned: number;
  readonly longestWaitMs: number;
  readonly heapMb: readonly number[];
}

const MINUTE_MS = 60_000;

export async function simulate(simulation: Simulation): Promise<SimulationReport> {
  const { hours, dense, sparse, seed } = simulation;
  const random = randomFrom(seed);
  const real = await openStore("memory:");
  const touched = new Set<string>();
  const counts = { failures: 0, failed: 0, written: 0 };
  const store = failingStore(real, { ...simulation, random, touched, counts });
  const firstWaitMs = new Map<string, number>();
  let clock: FakeClock | undefined;
  const writer = recordingWriter(firstWaitMs, () => clock?.now() ?? 0);
  let open = 0;
  let service: LiveService | undefined;
  clock = fakeClock(() => untilQuiet(async () => open === 0 && (await isQuiet(service, real, touched))));
  service = new LiveService({ store, clock, noteWriters: [writer] });
  const live = service;
  const now = clock;
  const keys = [...Array(dense + sparse).keys()].map((n) => `${n < dense ? "dense" : "sparse"} ${n}`);
  for (const key of keys) await live.open(key, { videoId: key });
  const beganMs = now.now();
  const untilMs = beganMs + hours * 60 * MINUTE_MS;
  const act = (pauseMs: () => number, work: () => Promise<unknown>): void => {
    now.after(pauseMs(), () => {
      if (now.now() >= untilMs) return;
      open++;
      void work().finally(() => {
        open--;
        act(pauseMs, work);
      });
    });
  };
  for (const key of keys) {
    const send = sender(live, key);
    const media = (): number => now.now() - beganMs;
    const isDense = key.startsWith("dense");
    act(
      () => (isDense ? 1_000 + random() * 8_000 : MINUTE_MS * (1 + random() * 20)),
      () => send(said(`${key} says something at ${media()}`, media())),
    );
    act(
      () => 10 * MINUTE_MS,
      () => live.ping(key),
    );
    if (!isDense) continue;
    act(
      () => 5_000,
      () => send(frame(media())),
    );
    const burst = (): readonly EvidenceInput[] => Array.from({ length: 30 }, (_, n) => frame(media() + n));
    act(
      () => 7 * MINUTE_MS,
      () => send(...burst()),
    );
  }
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
  const report = await checkLogs(real, live, keys);
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

function frame(mediaTimeMs: number): EvidenceInput {
  return { type: "frame_captured", mediaTimeMs, description: "a frame" };
}

/** Sends again what a failing store refused, with the same number. */
function sender(live: LiveService, key: string): (...evidence: readonly EvidenceInput[]) => Promise<void> {
  let sequence = 0;
  return async (...evidence) => {
    for (;;) {
      try {
        await live.accept(key, { producerId: "page", epoch: 0, sequence, evidence });
        sequence++;
        return;
      } catch (error) {
        if (!isContinuoError(error, "unavailable")) throw error;
      }
    }
  };
}

interface Recorder extends NoteWriter {
  calls: number;
}

/** Remembers how long each batch of transcripts waited, the first time that it was given. */
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
        // One alone: its window is its wait.
        if (evidence.length === 1) {
          expect(waitedMs).toBeGreaterThanOrEqual(2_000);
          expect(waitedMs).toBeLessThanOrEqual(6_000);
        }
      }
      const [first] = spoken;
      if (first === undefined) return { drafts: [] };
      const { id, text, startMs, endMs } = first;
      return { drafts: [{ draftId: `${batchId}/1`, text, startMs, endMs, confidence: 0.9, evidence: [id] }] };
    },
  };
  return recorder;
}

interface Failing {
  readonly failureShare: number;
  readonly random: () => number;
  readonly touched: Set<string>;
  readonly counts: { failures: number; failed: number; written: number };
}

function failingStore(store: Store, failing: Failing): Store {
  const { failureShare, random, touched, counts } = failing;
  const append: Store["append"] = async (logId, events, options) => {
    const isCheckpoint = events.some(({ type }) => type === "checkpoint_written");
    touched.add(logId);
    if (random() < failureShare) {
      counts.failures++;
      if (isCheckpoint) counts.failed++;
      throw new ContinuoError("unavailable", "the store is away for a moment");
    }
    if (isCheckpoint) counts.written++;
    return store.append(logId, events, options);
  };
  return new Proxy(store, {
    get: (target, key) => {
      if (key === "append") return append;
      if (key === "forWorkspace") return (id: string) => failingStore(target.forWorkspace(id), failing);
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Only sessions that were appended to since they were quiet are looked at. */
async function isQuiet(live: LiveService | undefined, store: Store, touched: Set<string>): Promise<boolean> {
  if (live === undefined) return true;
  for (const sessionId of [...touched]) {
    if (live.keeperOf(sessionId)?.isBusy === true) return false;
    const { fold, isOver } = await live.follow(sessionId);
    if (!isOver && fold.sequence !== (await store.latestSequence(sessionId))) return false;
    touched.delete(sessionId);
  }
  return true;
}

type LogReport = Pick<SimulationReport, "events" | "transcripts" | "frames" | "droppedFrames">;

async function checkLogs(store: Store, live: LiveService, keys: readonly string[]): Promise<LogReport> {
  const report = { events: 0, transcripts: 0, frames: 0, droppedFrames: 0 };
  for (const key of keys) {
    const events = await allEvents(store, await live.sessionIdOf(key));
    const transcripts = sequencesOf(events, "transcript_added");
    const frames = new Set(sequencesOf(events, "frame_captured"));
    const decided = decidedSequences(events);
    const dropped = events.filter(({ type }) => type === "evidence_dropped").flatMap(droppedIn);
    const isFrame = (sequence: number): boolean => frames.has(sequence);
    expect(decided.filter((sequence) => !isFrame(sequence)).toSorted((a, b) => a - b)).toEqual(transcripts);
    expect(dropped.every(isFrame)).toBe(true);
    const processed = [...decided.filter(isFrame), ...dropped];
    expect(new Set(processed).size).toBe(processed.length);
    for (const [n, event] of events.entries()) {
      if (event.type !== "evidence_dropped") continue;
      // Frames are dropped only when 20 others were pending.
      const decision = events.slice(n + 1).find(({ type }) => type === "decision_made");
      expect(decidedSequences(decision === undefined ? [] : [decision]).filter(isFrame)).toHaveLength(20);
    }
    report.events += events.length;
    report.transcripts += transcripts.length;
    report.frames += frames.size;
    report.droppedFrames += dropped.length;
  }
  return report;
}

function droppedIn({ data }: StoredEvent): readonly number[] {
  return (data as { readonly sequences?: readonly number[] }).sequences ?? [];
}

function heapNow(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return Math.round(process.memoryUsage().heapUsed / 1_048_576);
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
