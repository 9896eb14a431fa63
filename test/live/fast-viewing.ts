/** A viewing at ten times the rate of a talk, under a fake clock: the memory of its server by quarter. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { EvidenceInput } from "@continuo/core/wire";
import { extractiveWriter } from "@continuo/live";
import { openStore } from "@continuo/store";
import { type Talk, talksIn } from "./captions/draw.ts";
import { liveTest } from "./live-session.ts";

export interface FastViewing {
  readonly pieces: number;
  readonly notes: number;
  /** The heap after each quarter, when all work is done and garbage is collected. */
  readonly heapBytes: readonly number[];
}

const RATE = 10;
/** The time between two repetitions of the talk. */
const PAUSE_MS = 5_000;

export async function viewFast(minutes: number): Promise<FastViewing> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-fast-"));
  const store = await openStore(`sqlite:${join(folder, "store.db")}`);
  const live = await liveTest({ store, noteWriters: [extractiveWriter()] });
  const { service, clock } = live;
  try {
    await service.open("k", { videoId: "v" });
    const telling = tellings();
    let next = telling.next().value;
    let pieces = 0;
    const heapBytes: number[] = [];
    for (let second = 1; second <= minutes * 60; second++) {
      const evidence: EvidenceInput[] = [];
      for (; next.mediaTimeMs < second * 1_000 * RATE; next = telling.next().value) evidence.push(next);
      if (evidence.length > 0) await live.send("k", ...evidence);
      pieces += evidence.length;
      await clock.advance(1_000);
      if (second % (minutes * 15) === 0) heapBytes.push(heapNow());
    }
    return { pieces, notes: (await service.notes("k")).length, heapBytes };
  } finally {
    await service.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Piece = Extract<EvidenceInput, { readonly type: "transcript_added" }>;

/** The words of a talk, drawn word by word, again and again at later times of the video. */
function* tellings(): Generator<Piece, never, void> {
  const { pieces } = talksIn("tune").find(({ name }) => name === "bees") as Talk;
  const lengthMs = (pieces.at(-1)?.endMs ?? 0) + PAUSE_MS;
  for (let fromMs = 0; ; fromMs += lengthMs) {
    for (const { text, mediaTimeMs, endMs, lang = "en" } of pieces) {
      yield {
        type: "transcript_added",
        text,
        lang,
        mediaTimeMs: fromMs + mediaTimeMs,
        endMs: fromMs + endMs,
      };
    }
  }
}

function heapNow(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}
