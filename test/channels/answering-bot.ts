/**
 * A bot of one line, as a process of its own: `node answering-bot.ts URL CHANNEL [FRAME before|after]`. It kills itself
 * before it sends the first frame of that type, or as soon as the server has confirmed it.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type AgenticClient, connect } from "@continuo/core/client";
import { isContinuoError } from "@continuo/core/model";

const [serverUrl = "", channel = "", type, side] = process.argv.slice(2);

interface Frame {
  readonly type: string;
  readonly request?: number;
}

const die = (): void => void process.kill(process.pid, "SIGKILL");
const { send } = WebSocket.prototype;
let watched: number | undefined;
WebSocket.prototype.send = function (data) {
  const frame = JSON.parse(String(data)) as Frame;
  if (frame.type === type && watched === undefined) {
    if (side === "before") die();
    watched = frame.request;
    this.addEventListener("message", (event) => {
      const { request } = JSON.parse(String(event.data)) as Frame;
      if (request !== undefined && request === watched) die();
    });
  }
  send.call(this, data);
};

/** The pause is long enough for several frames. */
async function* think(question: string): AsyncGenerator<string> {
  for (const word of `You asked: ${question}`.split(/(?<= )/u)) {
    yield word;
    await sleep(60);
  }
}

/** A second process with the same handle waits until the first one is gone. */
async function join(): Promise<AgenticClient> {
  for (;;) {
    try {
      return await connect({ serverUrl, channel, handle: "bot", type: "agent", workspaceId: "default" });
    } catch (error) {
      if (!isContinuoError(error, "handle_taken")) throw error;
      await sleep(100);
    }
  }
}

const bot = await join();
for await (const event of bot.events({ targetedOnly: true }))
  await bot.answer(event, ({ content }) => think(content));
