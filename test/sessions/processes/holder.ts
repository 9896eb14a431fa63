/**
 * A process that runs a session, or waits for it, with a lease of an hour, and never ends: its agent sends a message
 * and waits. It prints its progress.
 *
 * Arguments: URL SESSION INPUT
 */

import { openStore } from "@continuo/store";
import { executeRun, startRun } from "@continuo/store/sessions";
import { ScriptedAgent } from "../../../packages/store/src/testing/index.ts";

const [url = "", sessionId = "", input = ""] = process.argv.slice(2);

await using store = await openStore(url);
const agent = new ScriptedAgent({
  turns: () => [{ say: "half" }, { hook: "wait" }],
  hooks: {
    wait: async () => {
      process.stdout.write("runs\n");
      await new Promise((done) => setTimeout(done, 3_600_000));
    },
  },
});
const { runId } = await startRun(store, sessionId, input);
process.stdout.write(`run ${runId}\n`);
await executeRun(store, agent, runId, { leaseMs: 3_600_000 });
