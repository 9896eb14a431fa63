/**
 * `crash-worker.ts STORE LEDGER`: a worker whose agent ends the whole process for the text `poison`, if possible while
 * others run. The ledger has a line for the beginning and the end of each message.
 */

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openContinuo } from "@continuo/server/runtime";
import { type Agent, textOf } from "../../../src/index.ts";

const [url = "", ledger = ""] = process.argv.slice(2);
const note = (what: string, text: string): void =>
  appendFileSync(ledger, `${JSON.stringify({ pid: process.pid, what, text })}\n`);
const LONELY_MS = 1_000;
let others = 0;
const clerk: Agent = {
  name: "clerk",
  async execute({ input }, { onEvent, signal }) {
    const text = textOf(input);
    note("begin", text);
    if (text === "poison") {
      for (let waitedMs = 0; others === 0 && waitedMs < LONELY_MS; waitedMs += 10) await sleep(10);
      await sleep(100);
      process.exit(1);
    }
    others++;
    await sleep(400, undefined, { signal });
    await onEvent({ type: "text", delta: text });
    note("end", text);
    others--;
    return {};
  },
};
await openContinuo(url, {
  agents: [clerk],
  recover: "retry",
  retry: { backoffMs: 1 },
  leaseMs: 2_000,
  pollMs: 20,
  parallel: 4,
  // The test reads the dead letter instead of the error.
  onError: () => undefined,
});
