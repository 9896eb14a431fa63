/**
 * Sessions that post to one server at the same moment, over HTTP: each sends a sentence every second, and all of them
 * begin together, as the pages of a meeting do when it begins.
 */

import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { startContinuo } from "../server/servers.ts";
import { quantile } from "../store/sampling.ts";
import { EVERY_MS, sentence } from "./many.ts";

const SECONDS = 15;
/** The first seconds compile code, and open the connections. */
const WARM_UP_SECONDS = 3;

export interface AtOnce {
  readonly medianMs: number;
  /** The time until a piece of evidence is acknowledged. */
  readonly p99Ms: number;
}

/** @param folder of the server's store */
export async function postAtOnce(folder: string, sessions: number): Promise<AtOnce> {
  const server = await startContinuo(folder, "at-once");
  const agent = new Agent({ keepAlive: true, maxSockets: sessions });
  try {
    const keys = Array.from({ length: sessions }, (_, n) => `${server.url}/v1/live/at-once-${n}`);
    for (const url of keys) await send(agent, { method: "PUT", url, body: { videoId: "v" } });
    const ms: number[] = [];
    for (let second = 0; second < WARM_UP_SECONDS + SECONDS; second++) {
      const began = performance.now();
      const times = await Promise.all(keys.map((url) => post(agent, url, second)));
      if (second >= WARM_UP_SECONDS) ms.push(...times);
      await pause(Math.max(0, EVERY_MS - (performance.now() - began)));
    }
    return { medianMs: quantile(ms, 0.5), p99Ms: quantile(ms, 0.99) };
  } finally {
    agent.destroy();
    await server.stop();
  }
}

async function post(agent: Agent, url: string, sequence: number): Promise<number> {
  const asked = performance.now();
  await send(agent, { method: "POST", url: `${url}/evidence`, body: sentence(sequence) });
  return performance.now() - asked;
}

interface HttpMessage {
  readonly method: string;
  readonly url: string;
  readonly body: object;
}

/** Resolves when the answer has arrived completely. */
async function send(agent: Agent, { method, url, body }: HttpMessage): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { "content-type": "application/json" };
  const sent = request(url, { method, agent, headers }, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    answer.on("error", reject).on("end", () => {
      if ((answer.statusCode ?? 500) < 300) resolve();
      else reject(new Error(`${method} ${url}: ${answer.statusCode} ${text.slice(0, 200)}`));
    });
  });
  sent.on("error", reject).end(JSON.stringify(body));
  await promise;
}
