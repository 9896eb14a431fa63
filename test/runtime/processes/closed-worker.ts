/** A worker that a deployment ends with SIGTERM while its agent answers. */

import { type Agent, openContinuo } from "../../../src/index.ts";

const [url = "", words = "2"] = process.argv.slice(2);
const agent: Agent = {
  name: "slow",
  async execute(_, { onEvent, signal }) {
    for (let n = 0; n < Number(words) && !signal?.aborted; n++) {
      await onEvent?.({ type: "text", messageId: "m", delta: `word ${n} ` });
      if (n === 1) console.log("answers");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return {};
  },
};
const c = await openContinuo(url, { agents: [agent], recover: "retry" });
process.once("SIGTERM", () => c.close({ graceMs: 20 }).finally(() => process.exit()));
console.log("open");
