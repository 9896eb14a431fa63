/**
 * `node desk-program.ts STORE PORT`: a server with an agent that thinks, speaks, looks something up and sometimes asks.
 * Its test kills it; the next process finishes what the killed one left.
 */

import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { agUiHandler } from "../../packages/ag-ui/src/index.ts";
import { openContinuo } from "../../packages/server/src/runtime/index.ts";
import { toNodeListener } from "../../packages/server/src/server/index.ts";
import { desk } from "./desk.ts";

const [url = "", port = ""] = process.argv.slice(2);
const c = await openContinuo(url, {
  agents: [desk(() => pause(15))],
  recover: "retry",
  retry: { attempts: 1_000, backoffMs: 1 },
  leaseMs: 1_000,
  pollMs: 20,
});
const handler = agUiHandler(c, {
  authorize: () => ({ sessions: "*", access: "write", approve: true, by: "ann" }),
});
createServer(toNodeListener(Object.assign(handler, { upgrade: () => undefined }))).listen(
  Number(port),
  "127.0.0.1",
  () => process.stdout.write("open\n"),
);
