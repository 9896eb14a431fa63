/**
 * Newcomers to a channel of a million messages, one after the other: `node newcomers.ts PLAN`, where PLAN is the JSON
 * of a `NewcomersPlan`. Each newcomer checks that it received what its mode promises, writes a message and leaves.
 */

import { createInterface } from "node:readline";
import { connect } from "@continuo/core/client";
import type { ReplayMode } from "@continuo/core/wire";
import { createRandom } from "../../store/harness/random.ts";

export interface NewcomersPlan {
  readonly channel: string;
  readonly messages: number;
  readonly serverUrls: readonly string[];
  readonly token: string;
  readonly seed: number;
}

export interface NewcomerReport {
  readonly mode: ReplayMode;
  /** The time until `connect()` returned, and the time until everything was read. */
  readonly joinedMs: number;
  readonly readMs: number;
  readonly failure?: string;
}

/** A replay of everything takes as long as thirty others. */
const MODES: readonly ReplayMode[] = [...Array<"skip" | "collect">(15).fill("skip"), "stream"];
const PATIENCE_MS = 300_000;

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? "") as NewcomersPlan);

async function run(plan: NewcomersPlan): Promise<void> {
  createInterface({ input: process.stdin }).on("close", () => process.exit());
  const random = createRandom(plan.seed);
  for (let n = 0; ; n++) {
    const mode = n % 2 === 0 ? "collect" : random.pick(MODES);
    const begin = performance.now();
    const news = { mode, joinedMs: 0, readMs: 0 };
    try {
      const client = await connect({
        channel: plan.channel,
        token: plan.token,
        serverUrl: random.pick(plan.serverUrls),
        // A name that the channel has never had, as of a person who comes for the first time.
        handle: `newcomer-${plan.seed}-${n}`,
        replayMode: mode,
        firstConnectionMs: PATIENCE_MS,
        onWarning: () => undefined,
      });
      news.joinedMs = performance.now() - begin;
      const signal = AbortSignal.timeout(PATIENCE_MS);
      if (mode === "stream") await expectAll(client.events({ signal }), plan.messages);
      if (mode === "collect") expectNewest(client.missedMessages.map(({ sequence }) => sequence));
      news.readMs = performance.now() - begin;
      await client.send(`I am newcomer ${n}`);
      await client.close();
      process.stdout.write(`${JSON.stringify(news)}\n`);
    } catch (error) {
      process.stdout.write(`${JSON.stringify({ ...news, failure: String(error) })}\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000 + random.below(4_000)));
  }
}

async function expectAll(
  events: AsyncIterable<{ readonly sequence?: number | undefined }>,
  count: number,
): Promise<void> {
  let before = 0;
  for await (const { sequence } of events) {
    if (sequence === undefined) continue;
    if (sequence !== before + 1) throw new Error(`was given ${sequence} after ${before}`);
    before = sequence;
    if (sequence >= count) return;
  }
  throw new Error(`was given ${before} of ${count} messages`);
}

function expectNewest(sequences: readonly number[]): void {
  if (sequences.length < 990) throw new Error(`collected only ${sequences.length} messages`);
  const gap = sequences.findIndex((sequence, n) => n > 0 && sequence <= (sequences[n - 1] ?? 0));
  if (gap !== -1) throw new Error(`collected ${sequences[gap]} after ${sequences[gap - 1]}`);
}
