/**
 * `npm run bench -- editors`: the time in which a running server lists 10,000 sessions for an editor: all of them and
 * the newest fifty from the agent host over its socket, and a page from the gateway over its pipes.
 */

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { splitLines } from "@continuo/files";
import { WebSocket } from "ws";
import { printRatios, type Ratio } from "../measure/index.ts";
import { makeCorpus } from "../sessions/corpus.ts";
import { withViewer } from "../viewer/viewer-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = process.env.CONTINUO_BENCH ?? join(homedir(), ".cache/continuo-bench");
const SESSIONS = { name: "ten-thousand", sessions: 10_000, totalBytes: 200e6 };
const LISTS_IN_A_ROUND = 20;
const WANTED_MS = 150;
const MAX_ANSWER_CHARS = 64 * 1024 * 1024;

type Ask = (method: string, params: object) => Promise<object>;

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const home = makeCorpus(SESSIONS, FOLDER);
  const lists = rounds * LISTS_IN_A_ROUND;
  const host = await withViewer(home, () => hostLists(join(home, ".continuo/viewer/vscode"), lists));
  const gateway = await gatewayLists(home, lists);
  const rows = [
    ["agent host, all 10,000", host.all],
    ["agent host, the newest 50", host.newest],
    ["gateway, a page", gateway],
  ] as const;
  console.log(`\n${lists} lists of each kind, in milliseconds: median, p95, most`);
  for (const [name, times] of rows)
    console.log(`  ${name.padEnd(26)} ${[0.5, 0.95, 1].map((part) => at(times, part).toFixed(1)).join(" ")}`);
  printRatios(
    rows.map(
      ([name, times]): Ratio => ({
        what: `${name}, p95 in ${WANTED_MS} ms`,
        ratio: at(times, 0.95) / WANTED_MS,
        wanted: "below",
        target: 1,
      }),
    ),
  );
}

function at(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}

async function timed(lists: number, list: () => Promise<object>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let one = 0; one < lists; one++) {
    const start = performance.now();
    await list();
    times.push(performance.now() - start);
  }
  return times;
}

interface HostLists {
  readonly all: readonly number[];
  readonly newest: readonly number[];
}

async function hostLists(path: string, lists: number): Promise<HostLists> {
  const socket = new WebSocket(`ws+unix:${path}:/`, { maxPayload: 0 });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const ask = asker(
    (line) => socket.send(line),
    (hear) => socket.on("message", (data) => hear(String(data))),
  );
  const channel = "ahp-root://";
  const subscribed = { protocolVersions: ["0.9.0"], clientId: "bench", initialSubscriptions: [channel] };
  await ask("initialize", { channel, ...subscribed });
  // The first list reads the index, and brings it up to date.
  const { items } = (await ask("listSessions", { channel })) as { readonly items: readonly unknown[] };
  console.log(`  ${items.length} sessions are listed`);
  const all = await timed(lists, () => ask("listSessions", { channel }));
  const newest = await timed(lists, () => ask("listSessions", { channel, limit: 50 }));
  socket.close();
  return { all, newest };
}

async function gatewayLists(home: string, lists: number): Promise<readonly number[]> {
  const argv = [join(ROOT, "bin/continuo.js"), "acp"];
  const env = { HOME: home, CONTINUO_HOME: join(home, ".continuo"), CI: "1", PATH: process.env.PATH ?? "" };
  const child = spawn(process.execPath, argv, { env, stdio: ["pipe", "pipe", "inherit"] });
  const closed = new Promise((resolve) => child.once("close", resolve));
  const ask = asker(
    (line) => child.stdin.write(`${line}\n`),
    (hear) => void hearLines(child.stdout, hear),
  );
  await ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  await ask("session/list", {});
  const times = await timed(lists, () => ask("session/list", {}));
  child.stdin.end();
  await closed;
  return times;
}

async function hearLines(stream: AsyncIterable<Uint8Array>, hear: (line: string) => void): Promise<void> {
  for await (const line of splitLines(stream, { maxChars: MAX_ANSWER_CHARS })) hear(line ?? "");
}

/** Requests of JSON-RPC over lines. */
function asker(send: (line: string) => void, listen: (hear: (line: string) => void) => void): Ask {
  const waiting = new Map<number, { resolve: (result: object) => void; reject: (error: Error) => void }>();
  listen((line) => {
    const { id, result, error } = JSON.parse(line) as { id?: number; result?: object; error?: object };
    const asked = waiting.get(id ?? -1);
    waiting.delete(id ?? -1);
    if (error === undefined) asked?.resolve(result ?? {});
    else asked?.reject(new Error(JSON.stringify(error)));
  });
  let ids = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      ids += 1;
      waiting.set(ids, { resolve, reject });
      send(JSON.stringify({ jsonrpc: "2.0", id: ids, method, params }));
    });
}
