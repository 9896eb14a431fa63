/** Several sessions on two servers and one Postgres, in real time: pages send, servers are killed, logs are compared. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type LiveClient, openLive } from "@continuo/core/client/live";
import { openStore } from "@continuo/store";
import { expect } from "vitest";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { said } from "./live-session.ts";
import { COUNTS, checkLog, type LogCounts, nothingSent, type SentIds, speechBytes } from "./sent-items.ts";
import { allEvents, decidedSequences, type LiveServer, sequencesOf, startServer } from "./servers.ts";

export interface PostgresRun {
  readonly sessions: number;
  /** The number of rounds that each page sends: words, a frame, and now and then a picture and speech. */
  readonly rounds: number;
  readonly pauseMs: number;
  /** The number of servers that are killed while pages send. */
  readonly kills: number;
}

export type PostgresReport = LogCounts & { readonly decisions: number };

/** Each session has a page at each of the two servers. */
export async function onPostgres({ sessions, rounds, pauseMs, kills }: PostgresRun): Promise<PostgresReport> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-live-"));
  const storeUrl = await newPostgresDatabase();
  await using store = await openStore(storeUrl, { migrate: true });
  const servers: LiveServer[] = [];
  const start = (name: string, port?: number): Promise<LiveServer> =>
    startServer({
      storeUrl,
      name,
      log: join(folder, "requests.jsonl"),
      ...(port === undefined ? {} : { port }),
    });
  const pages: Page[] = [];
  try {
    servers.push(...(await Promise.all(["a", "b"].map((name) => start(name)))));
    for (let n = 0; n < sessions; n++) {
      for (const { name, url } of servers) pages.push(await openPage(`session ${n}`, name, url));
    }
    const sending = Promise.all(pages.map((page) => send(page, rounds, pauseMs)));
    for (let n = 0; n < kills; n++) {
      await pause((rounds * pauseMs) / (kills + 1));
      const server = servers[n % 2];
      if (server === undefined) break;
      await server.kill();
      servers[n % 2] = await start(server.name, Number(new URL(server.url).port));
    }
    await sending;
    const report = { ...Object.fromEntries(COUNTS.map((name) => [name, 0])), decisions: 0 } as {
      -readonly [Name in keyof PostgresReport]: number;
    };
    for (const sessionPages of Map.groupBy(pages, ({ key }) => key).values()) {
      const [page] = sessionPages;
      if (page === undefined) break;
      const { client } = page;
      const { sessionId } = client;
      const clients = sessionPages.map(({ sent }) => sent);
      const chunks = clients.flatMap((one) => one.chunks).length;
      const heard = async (): Promise<number> =>
        sequencesOf(await allEvents(store, sessionId), "transcript_added").length;
      const spoken = clients.flatMap((one) => one.transcript_added).length;
      await expect.poll(heard, { interval: 500, timeout: 120_000 }).toBe(spoken + chunks);
      // Frames begin no batch, so the remaining ones are processed at the end.
      const undecided = async (): Promise<readonly number[]> => {
        const events = await allEvents(store, sessionId);
        const decided = new Set(decidedSequences(events));
        return sequencesOf(events, "transcript_added").filter((sequence) => !decided.has(sequence));
      };
      await expect.poll(undecided, { interval: 500, timeout: 120_000 }).toEqual([]);
      await client.end();
      const counts = await checkLog({ store, sessionId, notes: await client.notes() }, clients);
      for (const name of COUNTS) report[name] += counts[name];
      report.decisions += sequencesOf(await allEvents(store, sessionId), "decision_made").length;
    }
    return report;
  } finally {
    for (const { client } of pages) client.close();
    await Promise.all(servers.map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Page {
  readonly key: string;
  readonly client: LiveClient;
  readonly sent: SentIds;
}

async function openPage(key: string, name: string, serverUrl: string): Promise<Page> {
  const client = await openLive({ serverUrl, key, videoId: key });
  return { key, client, sent: nothingSent(`${key} at ${name}`) };
}

/** Waits for each acknowledgement of evidence; a killed server makes its page wait. */
async function send({ client, sent }: Page, rounds: number, pauseMs: number): Promise<void> {
  const speaking: Promise<unknown>[] = [];
  for (let n = 0; n < rounds; n++) {
    const mediaTimeMs = n * 1_000;
    const [words, frame] = [`${sent.client}, words ${n}`, `${sent.client}, frame ${n}`];
    sent.transcript_added.push(words);
    sent.frame_captured.push(frame);
    const seen = { type: "frame_captured", id: frame, mediaTimeMs, description: "a frame" } as const;
    if (n % 4 === 0) {
      sent.pictures.set(frame, `the picture of ${frame}`);
      const full = await untilAnswered(() =>
        client.addPicture(Buffer.from(`the picture of ${frame}`), "image/jpeg"),
      );
      await client.add(said(words, mediaTimeMs, { id: words }), { ...seen, full });
    } else await client.add(said(words, mediaTimeMs, { id: words }), seen);
    if (n % 3 === 0) {
      const id = `${sent.client}, chunk ${n}`;
      sent.chunks.push(id);
      const bytes = speechBytes(sent, id);
      const endMs = mediaTimeMs + 900;
      speaking.push(client.addAudio({ id, bytes, mediaType: "audio/wav", startMs: mediaTimeMs, endMs }));
    }
    await pause(pauseMs);
  }
  await Promise.all(speaking);
  await client.flushed();
}

/** Pictures do not wait in the outbox. */
async function untilAnswered<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 200) throw error;
      await pause(100);
    }
  }
}
