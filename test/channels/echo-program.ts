/** A program that serves a channel and has its agent: `node echo-program.ts STORE`. Prints the URL of its server. */

import { connect } from "@continuo/core/client";
import { openStore } from "@continuo/store";
import { openServer } from "../server/harness/open-server.ts";

const [, , storeUrl = ""] = process.argv;
const store = await openStore(storeUrl);
const { url: serverUrl } = await openServer(store);
process.stdout.write(`${serverUrl}\n`);
// An aborted test can no longer kill this process, so it ends with its input.
process.stdin.on("end", () => process.exit()).resume();
const { workspaceId } = store;
const bot = await connect({ serverUrl, channel: "team", handle: "bot", type: "agent", workspaceId });
for await (const event of bot.events({ targetedOnly: true })) {
  await bot.answer(event, ({ content }) => `You said: ${content}`);
}
