/** Every long operation on a store, one after the other, on a SQLite file with a million events. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listAll, type Store } from "@continuo/core/model";
import { LiveService } from "@continuo/live";
import {
  backupStore,
  checkDatabase,
  openStore,
  restoreStore,
  vacuumStore,
  verifyStore,
} from "@continuo/store";
import { ChannelStates } from "@continuo/store/channels";
import { fillSession } from "../live/fill.ts";
import { longestStop, type Stop } from "./longest-stop.ts";

export interface StopOptions {
  /** The number of events in the long session. */
  readonly events: number;
  /** The number of channels without participants. */
  readonly channels: number;
  readonly report: (line: string) => void;
}

const KEY = "talk";

export async function measureStops({ events, channels, report }: StopOptions): Promise<readonly Stop[]> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-stops-"));
  const stops: Stop[] = [];
  const measured = async (what: string, run: () => Promise<unknown>): Promise<void> => {
    const stop = await longestStop(what, run);
    stops.push(stop);
    report(lineOf(stop));
  };
  try {
    await using store = await openStore(`sqlite:${join(folder, "store.db")}`);
    const sessionId = await filled(store, events);
    await fillChannels(store, channels);
    report(`${events.toLocaleString("en")} events, ${channels.toLocaleString("en")} channels`);
    await liveOperations(store, sessionId, measured);
    await measured("a page of 1,000 channels, to the end of the list", () => listChannels(store));
    await measured("a read of a text that no event has", () =>
      store.read(sessionId, { texts: ["no such words"] }),
    );
    await measured("a count of a type", () => store.countEvents(sessionId, { types: ["note_written"] }));
    await measured("the fold of a channel without a snapshot", () => foldChannel(store, sessionId));
    await measured("verify", async () => {
      for await (const { ok, logId, reason } of verifyStore(store))
        if (!ok) throw new Error(`${logId}: ${reason}`);
    });
    await measured("check", () => checkDatabase(store));
    const file = join(folder, "backup.db");
    await measured("backup", () => backupStore(store, file));
    await using restored = await openStore(`sqlite:${join(folder, "restored.db")}`);
    await measured("restore", () => restoreStore(restored, file));
    await measured("prune of half of the events", () =>
      restored.prune(sessionId, { reason: "old", before: Math.floor(events / 2) }),
    );
    await measured("a fork, and its deletion", async () => {
      await restored.forkLog(sessionId, Math.floor(events / 2), { newLogId: "fork" });
      await restored.deleteLog("fork");
    });
    await measured("deletion of the session with all its events", () => restored.deleteLog(sessionId));
    await measured("vacuum", () => vacuumStore(restored));
    return stops;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf({ what, totalMs, stopMs, busyMs, garbageMs }: Stop): string {
  const seconds = (totalMs / 1_000).toFixed(1);
  const turn = `busy ${busyMs.toFixed(0)} ms, with ${garbageMs.toFixed(0)} ms of garbage`;
  return `  ${what.padEnd(60)} ${seconds.padStart(6)} s, longest stop ${stopMs.toFixed(0)} ms, longest turn ${turn}`;
}

async function filled(store: Store, events: number): Promise<string> {
  const service = new LiveService({ store });
  await service.start();
  const { sessionId } = await service.open(KEY, { videoId: KEY });
  await service.stop();
  await fillSession(store, sessionId, events);
  return sessionId;
}

async function fillChannels(store: Store, count: number): Promise<void> {
  for (let at = 0; at < count; at += 500) {
    const ids = Array.from({ length: Math.min(500, count - at) }, (_, n) => `channels/c${at + n}`);
    await Promise.all(ids.map((logId) => store.createLog({ logId })));
  }
}

async function liveOperations(
  store: Store,
  sessionId: string,
  measured: (what: string, run: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const first = new LiveService({ store });
  await first.start();
  await measured("restore of a continuous session without a snapshot", () => first.session(KEY));
  await first.accept(KEY, {
    producerId: "bench",
    epoch: 0,
    sequence: 0,
    evidence: [{ type: "transcript_added", text: "one more", mediaTimeMs: 1, lang: "en" }],
  });
  await measured("checkpoint of a continuous session", async () => {
    await first.ownerOf(sessionId)?.checkpoint();
  });
  await measured("a context window of a continuous session", async () => {
    for await (const _ of first.fetchContextWindow(sessionId, 1_500_000_000));
  });
  await first.stop();
  const second = new LiveService({ store });
  await second.start();
  await measured("restore of a continuous session from its snapshot", () => second.session(KEY));
  await second.stop();
}

async function listChannels(store: Store): Promise<void> {
  const channels = listAll((place) => store.listLogs({ prefix: "channels/", limit: 1_000, ...place }));
  for await (const _ of channels);
}

/** The events are not messages, because only reading them in turns is measured. */
async function foldChannel(store: Store, sessionId: string): Promise<void> {
  const named: Store = Object.assign(Object.create(store) as Store, {
    read: (_: string, ...rest: [Parameters<Store["read"]>[1]]) => store.read(sessionId, ...rest),
    getLatestSnapshot: () => Promise.resolve(null),
    putSnapshot: () => Promise.resolve(),
    deleteSnapshots: () => Promise.resolve(0),
    latestSequence: () => store.latestSequence(sessionId),
  });
  await new ChannelStates().read(named, "long");
}
