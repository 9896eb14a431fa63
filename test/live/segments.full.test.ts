/** Twelve segments of one viewing, with a reload, a dead worker and a killed server between them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { memoryOutbox, openLive } from "@continuo/core/client/live";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { said } from "./live-session.ts";
import { allEvents, decidedSequences, ownerOf, sequencesOf, startServer } from "./servers.ts";

test("a session continues after a reload, the death of its owner and a kill of its server, and segment 10 uses evidence of segment 1", async () => {
  const folder = scratchFolder("live");
  const storeUrl = `sqlite:${join(folder, "store.db")}`;
  const log = join(folder, "requests.jsonl");
  const key = "tab of a person";
  await using store = await openStore(storeUrl);
  await using worker = await startServer({ storeUrl, name: "worker", log });
  // The first server that is asked owns the session.
  const first = await openLive({ serverUrl: worker.url, key, videoId: "v" });
  const { sessionId } = first;
  first.close();
  let server = await startServer({ storeUrl, name: "server", log });
  const port = Number(new URL(server.url).port);
  const outbox = memoryOutbox();
  const options = { serverUrl: server.url, key, videoId: "v", outbox };
  let client = await openLive(options);
  try {
    for (let segment = 1; segment <= 12; segment++) {
      const back = segment === 10 ? ", as at the beginning" : "";
      const sending = client.add(said(`segment ${segment}${back}`, (segment - 1) * 60_000));
      if (segment === 3) {
        await sending;
        client.close();
        client = await openLive(options);
      }
      if (segment === 6) {
        await sending;
        await worker.kill();
        const killedAtMs = performance.now();
        await expect.poll(() => ownerOf(store, sessionId), { interval: 20 }).toBe("server");
        console.info(`the owner was replaced after ${Math.round(performance.now() - killedAtMs)} ms`);
      }
      if (segment === 8) {
        await server.kill();
        server = await startServer({ storeUrl, name: "restarted", log, port });
      }
      await sending;
      // A server may not have seen yet what it just stored, so its depth does not yet include this segment.
      await expect
        .poll(async () => decidedSequences(await allEvents(store, sessionId)).length, { interval: 100 })
        .toBe(segment);
    }
    await expect.poll(() => client.session()).toMatchObject({ sessionId, parentId: null, depth: 0 });
    const session = await client.session();
    // A server that is only slow can be replaced too.
    expect(session.restarts).toBeGreaterThanOrEqual(2);

    const events = await allEvents(store, sessionId);
    const transcripts = sequencesOf(events, "transcript_added");
    expect(transcripts).toHaveLength(12);
    expect(decidedSequences(events).toSorted((a, b) => a - b)).toEqual(transcripts);
    const requests = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Given);
    const tenth = requests.find(({ batch }) => batch.some((text) => text.startsWith("segment 10")));
    expect(tenth?.context).toContain("segment 1");
    // The writer's memory of the conversation is available on every server.
    expect(tenth?.memory).toEqual({ seen: 9 });
    const oldest = events.find(({ type }) => type === "transcript_added");
    await expect.poll(() => client.notes()).toHaveLength(12);
    const notes = await client.notes();
    expect(notes.find(({ text }) => text.startsWith("segment 10"))?.evidence).toContain(oldest?.id);
    expect((await store.verify(sessionId)).ok).toBe(true);
  } finally {
    client.close();
    await server.kill();
  }
}, 300_000);

interface Given {
  readonly batch: readonly string[];
  readonly context: readonly string[];
  readonly memory: unknown;
}
