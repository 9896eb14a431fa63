import { expect, test } from "vitest";
import { onPostgres } from "./postgres.ts";

test("on two servers and one Postgres, one of which is killed, every piece, chunk, note and picture is in the log once", async () => {
  const report = await onPostgres({ sessions: 3, rounds: 12, pauseMs: 200, kills: 1 });
  expect(report).toMatchObject({ frames: 72, pictures: 18, chunks: 24, transcripts: 96 });
  expect(report.notes).toBeGreaterThan(0);
}, 300_000);
