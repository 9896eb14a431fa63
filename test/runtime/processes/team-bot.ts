/** A chat server with an agent in its channel, which answers with the prompt that it received, word by word. */

import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { toNodeListener } from "../../../packages/server/src/server/index.ts";
import { type Agent, openContinuo, textOf } from "../../../src/index.ts";

const [url = "", pauseMs = "50"] = process.argv.slice(2);
const desk: Agent = {
  name: "desk",
  async execute({ input }, { signal, onEvent }) {
    for (const word of textOf(input).split(/(?<=\s)/u)) {
      await sleep(Number(pauseMs), undefined, { signal });
      await onEvent({ type: "text", delta: word });
    }
    return {};
  },
};
const c = await openContinuo(url, { agents: [desk], recover: "retry", retry: { attempts: 20 } });
process.once("SIGTERM", () => c.close().finally(() => process.exit()));
const handler = c.handler({
  authorize: ({ headers }) => ({
    channels: "*",
    access: "write",
    by: headers.get("authorization")?.slice(7) ?? "",
  }),
});
const http = createServer(toNodeListener(handler)).on("upgrade", handler.upgrade);
http.listen(0, "127.0.0.1", () => console.log(`port ${(http.address() as { port: number }).port}`));
await c.channel("team").join("bot", { agent: "desk" });
