/**
 * `npm run bench -- live`: continuous sessions with a million events in one of them, in one process with a SQLite file
 * that syncs. `--large` tries more sessions at once.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import type { EvidenceInput } from "@continuo/core/wire";
import { LiveService } from "@continuo/live";
import { openStore } from "@continuo/store";
import { quantile } from "../store/sampling.ts";
import { fillSession, said } from "./fill.ts";
import { manySessions } from "./many.ts";

const EVENTS = 1_000_000;
const FEW = 1_000;
const CREATIONS = 300;
const RESTORES = 10;
const WINDOWS = 500;
const APPENDS = 300;

export interface Measure {
  readonly what: string;
  readonly ms: readonly number[];
  /** The target of p99. */
  readonly targetMs: number | null;
}

export async function run({ large }: { readonly large: boolean }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-live-"));
  await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
  try {
    const few = await filled(store, "few", FEW);
    const many = await filled(store, "many", EVENTS);
    const measures = [
      // This comes first, because a server that takes sessions over restores all of them.
      ...(await checkpoints(store, "many", EVENTS)),
      ...(await checkpoints(store, "few", FEW)),
      await restores(store, "few", FEW),
      await restores(store, "many", EVENTS),
      await creations(store),
      // The same run also measures the machine and its disk under their present load.
      await bareAppends(store, many),
      await accepts(store),
      await windows(store, { sessionId: few, events: FEW }),
      await windows(store, { sessionId: many, events: EVENTS }),
      await nextSession(store),
    ];
    console.log(`\nWith ${EVENTS.toLocaleString("en")} events in the session`);
    for (const { what, ms, targetMs } of measures) {
      const p99 = quantile(ms, 0.99);
      const verdict =
        targetMs === null ? "" : `  at most ${targetMs} ms  ${p99 <= targetMs ? "met" : "MISSED"}`;
      console.log(
        `  ${what.padEnd(64)} ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${verdict}`,
      );
    }
    await manySessions(store, large ? [100, 200, 400, 800, 1_600] : [100, 200, 400]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function filled(store: Store, key: string, events: number): Promise<string> {
  const service = new LiveService({ store });
  await service.start();
  const { sessionId } = await service.open(key, { videoId: key });
  await service.stop();
  const began = performance.now();
  await fillSession(store, sessionId, events);
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${events.toLocaleString("en")} events stored in ${seconds.toFixed(0)} s`);
  return sessionId;
}

/** The first checkpoint after a restore from only the log, and evidence that arrives while checkpoints are written. */
async function checkpoints(store: Store, key: string, events: number): Promise<readonly Measure[]> {
  const service = new LiveService({ store });
  await service.start();
  const began = performance.now();
  const { sessionId } = await service.open(key, { videoId: key });
  const fromLogMs = performance.now() - began;
  const ms: number[] = [];
  const acceptedMs: number[] = [];
  for (let n = 0; n < RESTORES; n++) {
    await service.accept(key, {
      producerId: "checkpoints",
      epoch: 0,
      sequence: 2 * n,
      evidence: [spoken(n)],
    });
    const follower = await service.follow(sessionId);
    await follower.reaches(await store.latestSequence(sessionId));
    const owner = service.ownerOf(sessionId);
    const writing = owner?.checkpoint();
    const during = performance.now();
    await service.accept(key, {
      producerId: "checkpoints",
      epoch: 0,
      sequence: 2 * n + 1,
      evidence: [spoken(n)],
    });
    acceptedMs.push(performance.now() - during);
    await writing;
    ms.push(owner?.lastCheckpointMs ?? Number.NaN);
  }
  await service.stop();
  const at = `at ${events.toLocaleString("en")} events`;
  return [
    { what: `restore from only the log, ${at}`, ms: [fromLogMs], targetMs: null },
    { what: `checkpoint, ${at}`, ms, targetMs: 500 },
    { what: `evidence acknowledged during a checkpoint, ${at}`, ms: acceptedMs, targetMs: null },
  ];
}

/** The log has a tail of a few hundred events, as between two checkpoints. */
async function restores(store: Store, key: string, events: number): Promise<Measure> {
  const ms: number[] = [];
  for (let n = 0; n < RESTORES; n++) {
    const service = new LiveService({ store });
    const sessionId = await service.sessionIdOf(key);
    await store.append(
      sessionId,
      Array.from({ length: 30 }, (_, m) => said(`a tail of events ${m}`, m)),
    );
    const began = performance.now();
    await service.session(key);
    ms.push(performance.now() - began);
    await service.stop();
  }
  const at = `at ${events.toLocaleString("en")} events`;
  return { what: `restore from the snapshot and what follows, ${at}`, ms, targetMs: 1_000 };
}

/** Measures `open` of a key whose session, with all these events, has ended: it creates the key's next session. */
async function nextSession(store: Store): Promise<Measure> {
  const service = new LiveService({ store });
  await service.start();
  await service.close("many");
  const began = performance.now();
  await service.open("many", { videoId: "many" });
  const ms = [performance.now() - began];
  await service.stop();
  return { what: "creation of the session after it", ms, targetMs: 100 };
}

function spoken(n: number): EvidenceInput {
  return { type: "transcript_added", text: `accepted ${n}`, mediaTimeMs: n, lang: "en" };
}

async function creations(store: Store): Promise<Measure> {
  const service = new LiveService({ store });
  await service.start();
  const ms: number[] = [];
  for (let n = 0; n < CREATIONS; n++) {
    const began = performance.now();
    await service.open(`new ${n}`, { videoId: "v" });
    ms.push(performance.now() - began);
  }
  await service.stop();
  return { what: "creation of a session", ms, targetMs: 100 };
}

/** One transcript in one append to the same log, with nothing of a continuous session around it. */
async function bareAppends(store: Store, sessionId: string): Promise<Measure> {
  const ms: number[] = [];
  for (let n = 0; n < APPENDS; n++) {
    const began = performance.now();
    await store.append(sessionId, [said(`a bare append ${n}`, n)]);
    ms.push(performance.now() - began);
  }
  return { what: "bare append to the same log", ms, targetMs: null };
}

/** The same append through the service, which numbers, checks and acknowledges it. */
async function accepts(store: Store): Promise<Measure> {
  const service = new LiveService({ store });
  await service.session("many");
  const ms: number[] = [];
  for (let n = 0; n < APPENDS; n++) {
    const evidence = [spoken(n)];
    const began = performance.now();
    await service.accept("many", { producerId: "bench", epoch: 0, sequence: n, evidence });
    ms.push(performance.now() - began);
  }
  await service.stop();
  return { what: "evidence, until it is acknowledged", ms, targetMs: null };
}

async function windows(
  store: Store,
  { sessionId, events }: { readonly sessionId: string; readonly events: number },
): Promise<Measure> {
  const service = new LiveService({ store });
  const ms: number[] = [];
  for (let n = 0; n < WINDOWS; n++) {
    const began = performance.now();
    for await (const _ of service.fetchContextWindow(sessionId, Math.floor((n / WINDOWS) * events) * 3_000));
    ms.push(performance.now() - began);
  }
  return { what: `context window at ${events.toLocaleString("en")} events`, ms, targetMs: null };
}
