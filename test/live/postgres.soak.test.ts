import { soakTest } from "../sizes/soak-test.ts";
import { onPostgres } from "./postgres.ts";

soakTest(
  "live: sessions of two servers on one Postgres that are killed in turn lose and repeat nothing in real time",
  { count: 1, batchSize: 1 },
  async () => {
    const report = await onPostgres({ sessions: 10, rounds: 240, pauseMs: 1_000, kills: 8 });
    const { events, transcripts, frames, droppedFrames, pictures, chunks, decisions, notes } = report;
    return [
      `20 pages, 8 servers killed, ${events} events: ${transcripts} transcripts, ${frames} frames (${droppedFrames} dropped)`,
      `${pictures} pictures, ${chunks} chunks of audio, ${decisions} decisions, ${notes} notes`,
    ].join("; ");
  },
);
