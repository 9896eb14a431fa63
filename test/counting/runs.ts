/**
 * A program whose work is counted: runs of one session, or pieces of evidence of one continuous session, on a store of
 * their own: `node runs.ts runs|evidence COUNT`.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LiveService } from "@continuo/live";
import { openStore } from "@continuo/store";
import { executeRun, startRun, startSession } from "@continuo/store/sessions";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

/** Names in a folder that changed a moment ago are checked again, because the folder may change again unnoticed. */
const SETTLING_MS = 500;

const [what, count] = process.argv.slice(2);
await using store = await openStore(`sqlite:${join(process.env.CONTINUO_HOME ?? "", `${what}-${count}.db`)}`);

async function execute(): Promise<void> {
  const agent = new EchoAgent();
  const { sessionId } = await startSession(store);
  await sleep(SETTLING_MS);
  for (let n = 0; n < Number(count); n++) {
    const { runId } = await startRun(store, sessionId, "x".repeat(480));
    const { status } = await executeRun(store, agent, runId);
    if (status !== "completed") throw new Error(`a run is ${status}`);
  }
}

async function accept(): Promise<void> {
  const service = new LiveService({ store });
  await service.start();
  await service.open("counted", { videoId: "v" });
  await sleep(SETTLING_MS);
  for (let n = 0; n < Number(count); n++) {
    const text = `sentence ${n} of the talk`;
    const evidence = [{ type: "transcript_added", text, mediaTimeMs: n * 1_000, lang: "en" }] as const;
    await service.accept("counted", { producerId: "page", epoch: 0, sequence: n, evidence });
  }
  await service.stop();
}

if (what === "runs") await execute();
else await accept();
