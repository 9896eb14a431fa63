/** Three servers on one Postgres; the owner of a session is killed again and again while evidence arrives. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { LiveSession } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect } from "vitest";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { said } from "./live-session.ts";
import {
  allEvents,
  decidedSequences,
  type LiveServer,
  ownerOf,
  sequencesOf,
  startServer,
} from "./servers.ts";

const PATH = "/v1/live/viewing";
const EVIDENCE_MS = 150;

export interface KillReport {
  /** The times between the kill of an owner and the next owner, in milliseconds. */
  readonly takeOversMs: readonly number[];
  readonly transcripts: number;
  readonly decisions: number;
}

export async function killOwners(kills: number): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-owners-"));
  const storeUrl = await newPostgresDatabase();
  await using store = await openStore(storeUrl, { migrate: true });
  const log = join(folder, "requests.jsonl");
  const names = ["a", "b", "c"];
  const start = (name: string): Promise<LiveServer> => startServer({ storeUrl, name, log });
  const servers = new Map<string, LiveServer>();
  for (const name of names) servers.set(name, await start(name));
  const session = async (): Promise<LiveSession> => (await call(servers, "GET", "")) as LiveSession;
  const takeOversMs: number[] = [];
  let sent = 0;
  let sending: "on" | "off" = "on";
  try {
    const { sessionId } = (await call(servers, "PUT", "", { videoId: "v" })) as { sessionId: string };
    const evidence = (async () => {
      for (; sending === "on"; await pause(EVIDENCE_MS)) {
        const body = {
          producerId: "page",
          epoch: 0,
          sequence: sent,
          evidence: [said(`words ${sent}`, sent * 100)],
        };
        await call(servers, "POST", "/evidence", body);
        sent++;
      }
    })();
    for (let n = 0; n < kills; n++) {
      const owner = (await ownerOf(store, sessionId)) ?? "";
      const server = servers.get(owner);
      if (server === undefined) throw new Error(`nobody known owns the session: ${owner}`);
      servers.delete(owner);
      // The kill comes in the middle of a batch or between two batches.
      await pause(Math.random() * 3_000);
      await server.kill();
      const killedAtMs = performance.now();
      await expect.poll(() => ownerOf(store, sessionId), { interval: 20, timeout: 60_000 }).not.toBe(owner);
      takeOversMs.push(Math.round(performance.now() - killedAtMs));
      // The next owner is killed after it has reported that it is the owner. A server that is only slow can be replaced
      // too.
      await expect.poll(async () => (await session()).restarts, { interval: 50 }).toBeGreaterThan(n);
      servers.set(owner, await start(owner));
    }
    sending = "off";
    await evidence;
    const decided = async (): Promise<number> => decidedSequences(await allEvents(store, sessionId)).length;
    await expect.poll(decided, { interval: 250, timeout: 120_000 }).toBe(sent);
    await expect.poll(async () => (await session()).restarts).toBeGreaterThanOrEqual(kills);
    const events = await allEvents(store, sessionId);
    const transcripts = sequencesOf(events, "transcript_added");
    // No evidence and no decision on it is lost or repeated.
    expect(transcripts).toHaveLength(sent);
    expect(decidedSequences(events).toSorted((a, b) => a - b)).toEqual(transcripts);
    expect((await store.verify(sessionId)).ok).toBe(true);
    return { takeOversMs, transcripts: sent, decisions: sequencesOf(events, "decision_made").length };
  } finally {
    sending = "off";
    await Promise.all([...servers.values()].map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Calls any server that answers; a batch that was already stored is acknowledged again. */
async function call(
  servers: ReadonlyMap<string, LiveServer>,
  method: string,
  rest: string,
  body?: unknown,
): Promise<unknown> {
  for (let tries = 0; tries < 200; tries++) {
    for (const { url } of servers.values()) {
      try {
        const response = await fetch(`${url}${PATH}${rest}`, {
          method,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        if (response.ok) return await response.json();
      } catch {
        // This server was killed, so the next one is asked.
      }
    }
    await pause(100);
  }
  throw new Error(`no server answers ${method} ${rest}`);
}

export function summaryOf({ takeOversMs, transcripts, decisions }: KillReport): string {
  const sorted = takeOversMs.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return `${sorted.length} owners killed: taken over after ${at(0.5)} ms (median), ${sorted.at(-1)} ms (longest); ${transcripts} transcripts, ${decisions} decisions`;
}
