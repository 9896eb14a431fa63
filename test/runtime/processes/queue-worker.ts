/** `queue-worker.ts STORE`: a worker of the agent `clerk`, which takes a moment for each message. */

import { setTimeout as sleep } from "node:timers/promises";
import { openContinuo } from "@continuo/server/runtime";
import { type Agent, textOf } from "../../../src/index.ts";

const [url = ""] = process.argv.slice(2);
const clerk: Agent = {
  name: "clerk",
  async execute({ input }, { onEvent, signal }) {
    for (const word of ["read", textOf(input)]) {
      await sleep(5 + Math.random() * 40, undefined, { signal });
      await onEvent({ type: "text", delta: `${word} ` });
    }
    return {};
  },
};
await openContinuo(url, {
  agents: [clerk],
  recover: "retry",
  retry: { attempts: 1_000, backoffMs: 1 },
  leaseMs: 1_000,
  pollMs: 20,
  parallel: 3,
});
console.log("open");
