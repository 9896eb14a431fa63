/** `fork-asker.ts STORE [forked|sent]`: asks a question in a fork of the session `work`, and can kill itself after a step. */

import { openContinuo } from "@continuo/server/runtime";
import { EchoAgent } from "../../../packages/store/src/testing/index.ts";

const [url = "", last] = process.argv.slice(2);
const die = (step: string): void => {
  if (last === step) process.kill(process.pid, "SIGKILL");
};
await using c = await openContinuo(url, {
  agents: [new EchoAgent()],
  recover: "retry",
  leaseMs: 1_000,
  pollMs: 10,
});
const fork = c.session("ask-1", { create: true, forkedFrom: { logId: "work" } });
if (last === "forked") await fork.messages();
die("forked");
const run = fork.send("What was done?", { id: "question" });
await run;
die("sent");
console.log((await run.result()).status);
