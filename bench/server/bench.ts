/**
 * `npm run bench -- server`: the server compared with the protocol's reference server over HTTP; channels compared with
 * bare `ws`; the cost of readers, and the time until a reader and the server are ready.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printRatios, type Ratio } from "../measure/index.ts";
import { type Contender, inTurn, printRates, rateOf } from "../store/sampling.ts";
import { benchFanOut, benchIdle, benchLateReader, benchStart } from "./channels.ts";
import { type RunningServer, startContinuo, startReference } from "./servers.ts";
import { showSyncs } from "./syncs.ts";

const RECORD: string = JSON.stringify({ name: "bench", value: "x".repeat(480) });
const BATCH: string = `[${Array.from({ length: 1_000 }, () => RECORD).join(",")}]`;
const CATCH_UP_BYTES = 100_000_000;
/** The number of appends in a round, by the number of writers. */
const APPENDS = { 1: 200, 16: 1_600, 64: 3_200 } as const;
/** Our server must be at least so many times as fast as the reference server, by the number of writers. */
const TARGETS = { 1: 1, 16: 3, 64: 3 } as const;

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-server-"));
  const servers = [await startContinuo(folder), await startReference(folder)];
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const ratios: Ratio[] = [];
  try {
    for (const writers of [1, 16, 64] as const) {
      const rates = await inTurn(
        servers.map((server) => appender(server, { writers, appends: APPENDS[writers], agent })),
        rounds,
      );
      printRates(
        `Appends of ${RECORD.length} bytes, ${writers} ${writers === 1 ? "writer" : "writers"}`,
        "appends",
        rates,
      );
      ratios.push(ratioOf(servers, rates, { what: `appends, ${writers} writers`, target: TARGETS[writers] }));
    }
    for (const server of servers) await fill(server, agent);
    const rates = await inTurn(
      servers.map((server) => catchUp(server, agent)),
      rounds,
    );
    printRates("Catch-up of 100 MB", "MB", rates);
    ratios.push(ratioOf(servers, rates, { what: "catch-up of 100 MB", target: 1.5 }));
    ratios.push(...(await benchFanOut(folder, rounds)));
    ratios.push(...(await benchIdle(folder)));
    ratios.push(...(await benchLateReader(folder, rounds)));
    ratios.push(...(await benchStart(folder, rounds)));
    printRatios(ratios);
    await showSyncs(folder);
  } finally {
    agent.destroy();
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

function ratioOf(
  [ours, theirs]: readonly RunningServer[],
  rates: Parameters<typeof rateOf>[0],
  { what, target }: { readonly what: string; readonly target: number },
): Ratio {
  const ratio = rateOf(rates, ours?.name ?? "") / rateOf(rates, theirs?.name ?? "");
  return { what, ratio, wanted: "above", target };
}

interface AppendLoad {
  readonly writers: number;
  readonly appends: number;
  readonly agent: Agent;
}

function appender(server: RunningServer, { writers, appends, agent }: AppendLoad): Contender {
  const url = `${server.url}/v1/stream/appends-${writers}`;
  const made = send(url, "PUT", agent);
  return {
    name: server.name,
    run: async () => {
      await made;
      let left = appends;
      const write = async (): Promise<void> => {
        while (left-- > 0) await send(url, "POST", agent, RECORD);
      };
      await Promise.all(Array.from({ length: writers }, write));
      return appends;
    },
  };
}

async function fill(server: RunningServer, agent: Agent): Promise<void> {
  const url = `${server.url}/v1/stream/catch-up`;
  await send(url, "PUT", agent);
  for (let sent = 0; sent < CATCH_UP_BYTES; sent += BATCH.length) await send(url, "POST", agent, BATCH);
}

/** Reads page after page, like a client that was disconnected. */
function catchUp(server: RunningServer, agent: Agent): Contender {
  return {
    name: server.name,
    run: async () => {
      let bytes = 0;
      for (let offset = "-1", upToDate = false; !upToDate; ) {
        const page = await send(`${server.url}/v1/stream/catch-up?offset=${offset}`, "GET", agent);
        bytes += page.bytes;
        offset = page.nextOffset;
        upToDate = page.upToDate;
      }
      if (bytes < CATCH_UP_BYTES) throw new Error(`${server.name} gave ${bytes} bytes only`);
      return bytes / 1_000_000;
    },
  };
}

interface Answer {
  readonly bytes: number;
  readonly nextOffset: string;
  readonly upToDate: boolean;
}

function send(url: string, method: string, agent: Agent, body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const outgoing = request(url, { method, agent, headers }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("error", reject);
      response.on("end", () => {
        if ((response.statusCode ?? 500) >= 300) return reject(new Error(`${url}: ${response.statusCode}`));
        resolve({
          bytes,
          nextOffset: String(response.headers["stream-next-offset"]),
          upToDate: response.headers["stream-up-to-date"] === "true",
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
