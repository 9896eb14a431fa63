/** Channels: a message to many readers against bare `ws`, idle readers, a late reader of a long log, and the start. */

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect } from "@continuo/core/client";
import { SUBPROTOCOL } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { WebSocket } from "ws";
import type { Ratio } from "../measure/index.ts";
import { fillLog } from "../store/fill.ts";
import { ms, quantile } from "../store/sampling.ts";
import { startContinuo } from "./servers.ts";

const READERS = 1_000;
const MESSAGES = 100;
const CONTENT: string = "x".repeat(200);
const now = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

interface FanOut {
  /** The time from the commit, or the beginning of the broadcast, to each reader. */
  readonly fromCommit: readonly number[];
  readonly fromSend: readonly number[];
}

export async function benchFanOut(folder: string, rounds: number): Promise<readonly Ratio[]> {
  const bare: FanOut[] = [];
  const ours: FanOut[] = [];
  // The rounds alternate, so that changes of the machine's speed affect both alike.
  for (let round = 0; round < rounds; round++) {
    bare.push(await fanOut("bare", ""));
    ours.push(await fanOut("continuo", `sqlite:${join(folder, `fan-out-${round}.db`)}`));
  }
  const median = (runs: readonly FanOut[], pick: (run: FanOut) => readonly number[], q: number): number =>
    quantile(
      runs.map((run) => quantile(pick(run), q)),
      0.5,
    );
  const lines = [
    ["bare ws, from the broadcast", bare, (run: FanOut) => run.fromCommit],
    ["a channel, from the commit", ours, (run: FanOut) => run.fromCommit],
    ["a channel, from send()", ours, (run: FanOut) => run.fromSend],
  ] as const;
  console.log(`\nA message to ${READERS.toLocaleString("en")} readers`);
  for (const [name, runs, pick] of lines) {
    console.log(
      `  ${name.padEnd(44)} p50 ${ms(median(runs, pick, 0.5))}  p99 ${ms(median(runs, pick, 0.99))}`,
    );
  }
  const p99 = (runs: readonly FanOut[]): number => median(runs, (run) => run.fromCommit, 0.99);
  return [
    {
      what: `p99 from commit to ${READERS} readers, against bare ws`,
      ratio: p99(ours) / p99(bare),
      wanted: "below",
      target: 1.2,
    },
  ];
}

async function fanOut(kind: "bare" | "continuo", store: string): Promise<FanOut> {
  const server = startFanOutServer(kind, store);
  const url = await server.url;
  const socketUrl = url.replace("http", "ws");
  const address = kind === "bare" ? socketUrl : `${socketUrl}/v1/channels/team/ws`;
  // The channel is created before its readers connect.
  const writer =
    kind === "bare" ? null : await connect({ serverUrl: url, channel: "team", handle: "writer" });
  const arrived: { id: string; atMs: number }[] = [];
  const readers = await inBatches(READERS, () =>
    openReader(address, kind, (text) => {
      const id = /"id":"([^"]+)"/u.exec(text)?.[1];
      if (id !== undefined && text.includes('"message_sent"')) arrived.push({ id, atMs: now() });
    }),
  );
  const bareWriter = kind === "bare" ? await openReader(address, kind, () => undefined) : null;
  const sent = new Map<string, number>();
  for (let n = 0; n < MESSAGES; n++) {
    const id = randomUUID();
    const expected = arrived.length + READERS;
    sent.set(id, now());
    if (writer !== null) await writer.send(CONTENT, { messageId: id });
    else bareWriter?.send(JSON.stringify({ type: "event", after: n, event: frameOf(id, n + 1) }));
    while (arrived.length < expected) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const reader of readers) reader.terminate();
  bareWriter?.terminate();
  await writer?.close();
  const committed = await server.committed(MESSAGES);
  await server.stop();
  const since = (from: ReadonlyMap<string, number>): readonly number[] =>
    arrived.map(({ id, atMs }) => atMs - (from.get(id) ?? Number.NaN));
  return { fromCommit: since(committed), fromSend: since(sent) };
}

/** An event of the same length as an event of a channel. */
function frameOf(id: string, sequence: number): object {
  return {
    sequence,
    id,
    type: "message_sent",
    actor: { kind: "person", id: "writer" },
    occurredAt: "2026-01-01T00:00:00.000Z",
    recordedAt: "2026-01-01T00:00:00.000Z",
    retention: "critical",
    data: { messageId: id, content: CONTENT },
  };
}

interface FanOutServer {
  readonly url: Promise<string>;
  /** The times at which messages were committed, as soon as this number of them is known. */
  committed(count: number): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

function startFanOutServer(kind: string, store: string): FanOutServer {
  const script = join(import.meta.dirname, "fan-out-server.ts");
  const child: ChildProcess = spawn(process.execPath, [script, kind, store], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const times = new Map<string, number>();
  const url = Promise.withResolvers<string>();
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const told = JSON.parse(line) as { readonly url?: string; readonly id?: string; readonly atMs?: number };
    if (told.url !== undefined) url.resolve(told.url);
    if (told.id !== undefined && told.atMs !== undefined) times.set(told.id, told.atMs);
  });
  return {
    url: url.promise,
    committed: async (count) => {
      while (times.size < count) await new Promise((resolve) => setTimeout(resolve, 5));
      return times;
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

function openReader(
  address: string,
  kind: "bare" | "continuo",
  onText: (text: string) => void,
): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const protocols = kind === "bare" ? [] : [SUBPROTOCOL];
    const socket = new WebSocket(address, protocols, { perMessageDeflate: false });
    socket.on("error", reject);
    socket.on("open", () => {
      if (kind === "bare") resolve(socket);
      else
        socket.send(JSON.stringify({ type: "hello", protocol: 1, instance: randomUUID(), after: "latest" }));
    });
    socket.on("message", (data) => {
      const text = data.toString();
      if (text.startsWith('{"type":"ready"')) resolve(socket);
      // A reader that sends no heartbeat is disconnected.
      if (text.startsWith('{"type":"heartbeat"')) socket.send(text);
      onText(text);
    });
  });
}

async function inBatches<T>(count: number, open: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < count) {
    all.push(...(await Promise.all(Array.from({ length: Math.min(100, count - all.length) }, open))));
  }
  return all;
}

const IDLE_READERS = 9_000;

/** The memory of the server process, as the kernel reports it. Most machines allow 10,000 files for each process. */
export async function benchIdle(folder: string): Promise<readonly Ratio[]> {
  const server = await startContinuo(folder, "idle");
  const client = await connect({ serverUrl: server.url, channel: "team", handle: "writer" });
  const address = `${server.url.replace("http", "ws")}/v1/channels/team/ws`;
  const warm = await inBatches(100, () => openReader(address, "continuo", () => undefined));
  const before = residentMegabytes(server.pid);
  const readers = await inBatches(IDLE_READERS, () => openReader(address, "continuo", () => undefined));
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const grown = residentMegabytes(server.pid) - before;
  for (const reader of [...warm, ...readers]) reader.terminate();
  await client.close();
  await server.stop();
  const each = (grown / IDLE_READERS) * 10_000;
  console.log(
    `\n${IDLE_READERS.toLocaleString("en")} idle readers: the server grows by ${grown.toFixed(0)} MB`,
  );
  return [{ what: "MB that 10,000 idle readers cost", ratio: each, wanted: "below", target: 200 }];
}

function residentMegabytes(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_000;
}

const LONG = 1_000_000;
const SINCE_ANCHOR = 1_000;

/** The time from the first byte of a connection to the first event. */
export async function benchLateReader(folder: string, rounds: number): Promise<readonly Ratio[]> {
  const path = join(folder, "long.db");
  const store = await openStore(`sqlite:${path}`);
  await store.createLog({ logId: "channels/long" });
  fillLog(path, "channels/long", LONG);
  const actor = { kind: "person", id: "ann" } as const;
  await store.append("channels/long", [{ type: "message_sent", actor, data: { content: "the last turn" } }]);
  const after = Array.from({ length: SINCE_ANCHOR }, () => ({ type: "custom", data: { name: "x" } }));
  await store.append("channels/long", after);
  await store.close();
  const server = await startContinuo(folder, "long");
  const times: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const start = performance.now();
    await firstEvent(`${server.url.replace("http", "ws")}/v1/channels/long/ws`);
    times.push(performance.now() - start);
  }
  await server.stop();
  const [cold = Number.NaN, ...warm] = times;
  console.log(
    `\nA reader joins ${LONG.toLocaleString("en")} events at the last anchor, to the first event\n` +
      `  the first one ${ms(cold)}, the next ones ${ms(quantile(warm, 0.5))}`,
  );
  const target = 200;
  return [
    {
      what: "ms to the first event, at the last anchor",
      ratio: quantile(times, 0.5),
      wanted: "below",
      target,
    },
  ];
}

function firstEvent(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, [SUBPROTOCOL]);
    socket.on("error", reject);
    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "hello", protocol: 1, instance: randomUUID(), after: "anchor" }));
    });
    socket.on("message", (data) => {
      if (!data.toString().startsWith('{"type":"event"')) return;
      socket.terminate();
      resolve();
    });
  });
}

/** The time from the start of the process to the first answer of `/readyz`. */
export async function benchStart(folder: string, rounds: number): Promise<readonly Ratio[]> {
  const times: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const start = performance.now();
    const server = await startContinuo(folder, "start");
    const { status } = await fetch(`${server.url}/readyz`);
    if (status !== 200) throw new Error(`the server is not ready: ${status}`);
    if (round >= 0) times.push(performance.now() - start);
    await server.stop();
  }
  const median = quantile(times, 0.5);
  console.log(`\ncontinuo serve is ready after ${ms(median)}`);
  return [{ what: "ms until the server is ready", ratio: median, wanted: "below", target: 1_000 }];
}
