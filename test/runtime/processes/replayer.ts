/** `replayer.ts STORE SESSION keep|leave`: replays a session with an agent that answers its first input, and then hangs. */

import { openContinuo } from "@continuo/server/runtime";
import { ScriptedAgent } from "../../../packages/store/src/testing/index.ts";

const [url = "", sessionId = "", kept] = process.argv.slice(2);
const candidate = new ScriptedAgent({
  name: "candidate",
  turns: [[{ say: "Later." }], [{ say: "I look." }, { hook: "hang" }]],
  hooks: {
    async hang() {
      console.log("hangs");
      setInterval(() => undefined, 1_000);
      await new Promise(() => undefined);
    },
  },
});
const c = await openContinuo(url, { work: false });
await c.replay(sessionId, { agent: candidate, keep: kept === "keep" });
