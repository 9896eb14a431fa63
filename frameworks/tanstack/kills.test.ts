/** A producer in a real process is killed again and again; readers in another process resume by their offsets. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { StreamChunk } from "@tanstack/ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../packages/store/src/store/index.ts";
import { continuoStream } from "../../packages/tanstack/src/index.ts";

/** 200 kills are the proof (`CONTINUO_KILLS=200`); the default of 10 is a quick check for every commit. */
const KILLS = Number(process.env.CONTINUO_KILLS ?? 10);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "continuo-tanstack-kills-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const words = (chunks: readonly StreamChunk[]): readonly string[] =>
  chunks.map((chunk) => (chunk as unknown as { delta: string }).delta);

test(`a run whose producer is killed at ${KILLS} random moments has each chunk once, for readers that resume too`, {
  timeout: 30 * 60_000,
}, async () => {
  const url = `sqlite:${join(folder, "runs.db")}`;
  const count = 60 * KILLS;
  const start = (): ChildProcess => {
    const program = join(import.meta.dirname, "writer-program.ts");
    return spawn(process.execPath, [program, url, "run", String(count)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  };
  await using store = await openStore(url);
  /** Leaves at random moments, and comes back with the offset that it has. */
  const follow = async (): Promise<readonly StreamChunk[]> => {
    const read: StreamChunk[] = [];
    let offset = "-1";
    for (;;) {
      const leaving = AbortSignal.timeout(Math.round(50 + 400 * Math.random()));
      const stream = continuoStream(store, { runId: "run", offset }, { firstChunkDeadlineMs: 60_000 });
      for await (const entry of stream.read(stream.resumeFrom() ?? "-1", leaving)) {
        offset = entry.offset;
        read.push(entry.chunk);
      }
      if (!leaving.aborted) return read;
    }
  };
  const readers = [follow(), follow()];
  for (let kills = 0; kills < KILLS; kills++) {
    const writer = start();
    const ended = once(writer, "exit");
    await once(writer.stdout as NodeJS.ReadableStream, "data");
    await pause(200 * Math.random());
    writer.kill("SIGKILL");
    await ended;
  }
  const last = start();
  expect(await once(last, "exit")).toEqual([0, null]);
  const expected = Array.from({ length: count }, (_, at) => `word ${at} `);
  const stored = await continuoStream(store, { runId: "run" }).snapshot();
  expect(words(stored.map(({ chunk }) => chunk))).toEqual(expected);
  for (const reader of readers) expect(words(await reader)).toEqual(expected);
});
