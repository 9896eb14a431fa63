/**
 * `node desk-program.ts STORE PORT`: a server with a slow agent. Its test kills it; the next process finishes what the
 * killed one left.
 */

import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { textOf } from "../../packages/core/src/model/index.ts";
import { openContinuo } from "../../packages/server/src/runtime/index.ts";
import { toNodeListener } from "../../packages/server/src/server/index.ts";

const [url = "", port = ""] = process.argv.slice(2);
const c = await openContinuo(url, {
  agents: [
    {
      name: "desk",
      execute: async ({ input }, { onEvent, signal }) => {
        for (const word of ["You", "asked:", ...textOf(input).split(" ")]) {
          await pause(60, undefined, { signal });
          await onEvent({ type: "text", delta: `${word} ` });
        }
        return {};
      },
    },
  ],
  recover: "retry",
  retry: { attempts: 1_000, backoffMs: 1 },
  leaseMs: 1_000,
  pollMs: 20,
});
const handler = c.handler({ authorize: () => ({ sessions: "*", access: "write", by: "ann" }) });
createServer(toNodeListener(handler)).listen(Number(port), "127.0.0.1", () => process.stdout.write("open\n"));
