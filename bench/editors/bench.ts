/**
 * `npm run bench -- editors [--only lists,loads] [--write]`: the time in which a running server lists 10,000 sessions for an
 * editor (all of them and the newest fifty from the agent host over its socket; pages from the gateway over its pipes),
 * and the time until the first update of a session that the gateway loads. With `--write`, three of them become rows of
 * `docs/speed.md`, whose other rows stay.
 */

import { appendFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { printRatios, type Ratio } from "../measure/index.ts";
import { makeCorpus } from "../sessions/corpus.ts";
import { withViewer } from "../viewer/viewer-process.ts";
import { withRows } from "../waits/page.ts";
import type { Row } from "../waits/rows.ts";
import { measured } from "../waits/targets.ts";
import { asker, type GatewayProcess, withGateway } from "./gateway-process.ts";
import { measureLoads } from "./loads.ts";

const FOLDER = process.env.CONTINUO_BENCH ?? join(homedir(), ".cache/continuo-bench");
const SESSIONS = { name: "ten-thousand", sessions: 10_000, totalBytes: 200e6 };
const LISTS_IN_A_ROUND = 20;
/** The time in which the gateway surely has read all sessions after its first answer. */
const READ_MS = 20_000;
const WANTED_MS = 150;
const WANTED_LOAD_MS = 200;

interface EditorsOptions {
  readonly only: readonly string[];
  readonly rounds: number;
}

const results: Row[] = [];

export function withResults(page: string): string {
  return withRows(page, results);
}

/** @param from how the number was measured, to which the day and the load of the machine are added */
function keep(name: string, now: number, from: string): void {
  const day = new Date().toISOString().slice(0, 10);
  results.push(measured(name, now, `${from}; ${day}, load ${loadavg()[0]?.toFixed(1)}`));
}

export async function run({ only, rounds }: EditorsOptions): Promise<void> {
  const isWanted = (part: string): boolean => only.length === 0 || only.includes(part);
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
  if (isWanted("lists")) await runLists(rounds * LISTS_IN_A_ROUND);
  if (isWanted("loads")) await runLoads(rounds);
}

async function runLists(lists: number): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const home = makeCorpus(SESSIONS, FOLDER);
  const host = await withViewer(home, () => hostLists(join(home, ".continuo/viewer/vscode"), lists));
  const gateway = await withGateway(home, (process) => gatewayLists(process, lists));
  const growing = await withGateway(home, (process) => growingLists(process, lists, home));
  const rows = [
    ["agent host, all 10,000", host.all],
    ["agent host, the newest 50", host.newest],
    ["gateway, a page", gateway.page],
    ["gateway, two pages", gateway.two],
    ["gateway, a page of a folder", gateway.folder],
    ["gateway, while one session grows", growing],
  ] as const;
  console.log(`\n${lists} lists of each kind, in milliseconds: median, p95, most; median of the processor`);
  for (const [name, { clock, cpu }] of rows)
    console.log(
      `  ${name.padEnd(32)} ${[0.5, 0.95, 1].map((part) => at(clock, part).toFixed(1)).join(" ")}; ${cpu.length === 0 ? "-" : at(cpu, 0.5)}`,
    );
  const median = (times: Times): string => `${lists} lists, median ${at(times.clock, 0.5).toFixed(0)} ms`;
  keep("editorHost", at(host.all.clock, 0.95), median(host.all));
  keep("editorPage", at(gateway.page.clock, 0.95), median(gateway.page));
  printRatios(
    rows.map(
      ([name, { clock }]): Ratio => ({
        what: `${name}, p95 in ${WANTED_MS} ms`,
        ratio: at(clock, 0.95) / WANTED_MS,
        wanted: "below",
        target: 1,
      }),
    ),
  );
}

async function runLoads(rounds: number): Promise<void> {
  const loads = await measureLoads(rounds);
  console.log(
    `\nmedians of ${rounds} loads: milliseconds to the first update (of the processor), and to the answer`,
  );
  const nameOf = ({ agent, megabytes, isIndexed }: (typeof loads)[number]): string =>
    `${agent}, ${megabytes} MB${isIndexed ? ", in the index" : ""}`;
  for (const load of loads)
    console.log(
      `  ${nameOf(load).padEnd(28)} ${load.firstMs.toFixed(0)} (${load.firstCpuMs}); ${load.answerMs.toFixed(0)}`,
    );
  const [slowest] = loads.toSorted((a, b) => b.firstMs - a.firstMs);
  if (slowest !== undefined)
    keep("editorLoad", slowest.firstMs, `the slowest of ${loads.length} sessions: ${nameOf(slowest)}`);
  printRatios(
    loads.map(
      (load): Ratio => ({
        what: `first update of ${nameOf(load)} in ${WANTED_LOAD_MS} ms`,
        ratio: load.firstMs / WANTED_LOAD_MS,
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

interface Times {
  readonly clock: readonly number[];
  /** Empty where it was not measured. */
  readonly cpu: readonly number[];
}

async function timed(
  lists: number,
  list: () => Promise<unknown>,
  cpuMs: (() => number) | null = null,
): Promise<Times> {
  const [clock, cpu]: [number[], number[]] = [[], []];
  for (let one = 0; one < lists; one++) {
    const [start, cpuStart] = [performance.now(), cpuMs?.()];
    await list();
    clock.push(performance.now() - start);
    if (cpuMs !== null && cpuStart !== undefined) cpu.push(cpuMs() - cpuStart);
  }
  return { clock, cpu };
}

async function hostLists(path: string, lists: number) {
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

async function gatewayLists({ ask, cpuMs }: GatewayProcess, lists: number) {
  const list = async (params: object) =>
    (await ask("session/list", params)) as {
      readonly sessions: readonly { readonly cwd: string }[];
      readonly nextCursor?: string;
    };
  const { sessions } = await list({});
  const page = await timed(lists, () => list({}), cpuMs);
  const two = await timed(lists, async () => list({ cursor: (await list({})).nextCursor }), cpuMs);
  const folder = await timed(lists, () => list({ cwd: sessions[0]?.cwd }), cpuMs);
  return { page, two, folder };
}

/** One session gets a record before each list; the file is put back, because other measurements use the corpus. */
async function growingLists({ ask, cpuMs }: GatewayProcess, lists: number, home: string): Promise<Times> {
  const [file = ""] = globSync(join(home, ".claude/projects/*/*.jsonl")).sort();
  const before = readFileSync(file);
  const last = before.toString("utf8").trimEnd().split("\n").at(-1);
  const list = async (): Promise<unknown> => await ask("session/list", {});
  await list();
  // Only after all sessions were read can a list be kept.
  await list();
  await sleep(READ_MS);
  try {
    return await timed(
      lists,
      async () => {
        appendFileSync(file, `${last}\n`);
        await list();
      },
      cpuMs,
    );
  } finally {
    writeFileSync(file, before);
  }
}
