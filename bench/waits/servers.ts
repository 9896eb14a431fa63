/**
 * Sends of one connection of a channel, 16 in flight, compared with a server that makes each message durable and echoes
 * it.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect } from "@continuo/core/client";
import { WebSocket } from "ws";
import { startContinuo } from "../server/servers.ts";
import { inTurn, rateOf } from "../store/sampling.ts";
import type { Rows, WaitsOptions } from "./rows.ts";
import { measured } from "./targets.ts";

const IN_FLIGHT = 16;
const SENDS = 1_600;
const CONTENT: string = "x".repeat(200);

export async function serverRows({ rounds, quick }: WaitsOptions): Promise<Rows> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-sends-"));
  const server = await startContinuo(folder);
  const echo = await startEcho(join(folder, "echo.log"));
  const client = await connect({ serverUrl: server.url, channel: "team", handle: "writer" });
  try {
    const rates = await inTurn(
      [
        { name: "ours", run: () => inFlight(() => client.send(CONTENT)) },
        { name: "echo", run: () => inFlight(echo.send) },
      ],
      quick ? 3 : Math.max(5, rounds),
    );
    const [ours, theirs] = [rateOf(rates, "ours"), rateOf(rates, "echo")];
    const from = `${ours.toFixed(0)} / ${theirs.toFixed(0)} a second, on the disk`;
    return [measured("sends", ours / theirs, from)];
  } finally {
    await client.close();
    await echo.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inFlight(send: () => Promise<unknown>): Promise<number> {
  let left = SENDS;
  const call = async (): Promise<void> => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, call));
  return SENDS;
}

interface Echo {
  readonly send: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The echo server is a separate process, because Continuo's server is one too. */
async function startEcho(file: string): Promise<Echo> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, "durable-echo.ts"), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  await once(socket, "open");
  const waiting: (() => void)[] = [];
  socket.on("message", () => waiting.shift()?.());
  return {
    send: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        socket.send(CONTENT);
      }),
    stop: async () => {
      socket.terminate();
      child.kill();
      await once(child, "exit");
    },
  };
}
