/** The speed of transcripts: rebuilding one, and bringing it up to date. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type NewEvent, readAll, type Store } from "@continuo/core/model";
import { type Transcript, TranscriptBuilder } from "@continuo/core/transcript";
import { openStore } from "@continuo/store";
import { printRatios } from "../measure/index.ts";

const { fromStore, updateFromStore } = TranscriptBuilder;

const LARGE = 1_000_000;
const SMALL = 10_000;
const PAGE = 10_000;

export interface BenchOptions {
  readonly large: boolean;
  readonly rounds: number;
}

export async function run({ rounds }: BenchOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-"));
  const path = join(folder, "store.sqlite");
  const store = await openStore(`sqlite:${path}`);
  try {
    for (const count of [SMALL, LARGE]) await fill(store, String(count), count);
    const large = String(LARGE);
    const timed = await timeInTurn(rounds, {
      rows: async () => readRows(path, large),
      events: () => readEvents(store, large),
      rebuild: async () => void (await fromStore(store, large)),
    });
    const updates = await timeUpdates(store, Math.max(rounds, 15));
    printTimes({ ...timed, ...updates });
    report(timed, updates);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

type Times = Readonly<Record<string, number>>;

function report(timed: Times, updates: Times): void {
  const over = (a: number | undefined, b: number | undefined): number =>
    (a ?? Number.NaN) / (b ?? Number.NaN);
  const net = (count: number): number => (updates[`update ${count}`] ?? 0) - (updates[`copy ${count}`] ?? 0);
  printRatios([
    {
      what: "rebuild of 1M events / reading them from the store",
      ratio: over(timed.rebuild, timed.events),
      wanted: "below",
      target: 1.5,
    },
    {
      what: "rebuild of 1M events / rows of the database and JSON.parse",
      ratio: over(timed.rebuild, timed.rows),
      wanted: "below",
      target: 1.5,
    },
    {
      what: "update after 10 of 1M events / rebuild",
      ratio: over(updates[`update ${LARGE}`], timed.rebuild),
      wanted: "below",
      target: 0.001,
    },
    {
      what: "update at 1M / at 10k events, a copy of the array left out",
      ratio: over(net(LARGE), net(SMALL)),
      wanted: "below",
      target: 1.3,
    },
  ]);
}

function printTimes(times: Times): void {
  console.log("\nTranscripts: medians");
  for (const [name, ms] of Object.entries(times)) console.log(`  ${name.padEnd(44)} ${ms.toFixed(3)} ms`);
}

/** The turns of a conversation: a prompt, streamed parts, their final text, and two calls with results. */
function turn(at: number): NewEvent[] {
  const runId = `run-${at}`;
  const messageId = `message-${at}`;
  const words = `In turn ${at} the agent says a sentence of a usual length about the work that it does. `;
  const call = (n: number): NewEvent[] => [
    {
      type: "tool_call_started",
      data: { toolCallId: `call-${at}-${n}`, toolName: "Bash", toolInput: { command: `grep -rn ${at} src` } },
      runId,
    },
    {
      type: "tool_call_completed",
      data: { toolCallId: `call-${at}-${n}`, toolOutput: words.repeat(4) },
      runId,
    },
  ];
  return [
    { type: "message_sent", data: { content: words }, runId, actor: { kind: "person" } },
    { type: "message_streamed", data: { delta: words, messageId }, runId },
    { type: "message_streamed", data: { delta: words, messageId }, runId },
    { type: "message_received", data: { content: words + words, messageId }, runId },
    ...call(1),
    ...call(2),
    { type: "token_usage_updated", data: { usage: { inputTokens: 900, outputTokens: 70 } }, runId },
    { type: "run_completed", data: { runId }, runId },
  ];
}

async function fill(store: Store, logId: string, count: number): Promise<void> {
  await store.createLog({ logId });
  const turns = PAGE / 10;
  for (let done = 0; done < count / 10; done += turns) {
    await store.append(logId, Array.from({ length: turns }, (_, at) => turn(done + at)).flat());
  }
}

/** The minimum cost of reading the same events: reading their rows and parsing their payloads. */
function readRows(path: string, logId: string): void {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare(
    `select sequence, event_id, type, parent_id, actor, run_id, occurred_at, recorded_at, retention, payload,
       payload_hash, chain_hash, extras from events
     where log_key = (select log_key from logs where log_id = ?) order by sequence`,
  );
  let count = 0;
  for (const row of rows.iterate(logId)) {
    if (JSON.parse(String(row.payload)) !== undefined) count++;
  }
  db.close();
  if (count !== LARGE) throw new Error(`${count} rows were read`);
}

async function readEvents(store: Store, logId: string): Promise<void> {
  let count = 0;
  for await (const _ of readAll(store, logId, { limit: PAGE })) count++;
  if (count !== LARGE) throw new Error(`${count} events were read`);
}

async function timeInTurn(
  rounds: number,
  tasks: Readonly<Record<string, () => Promise<void>>>,
): Promise<Record<string, number>> {
  const times = new Map(Object.keys(tasks).map((name): [string, number[]] => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, task] of Object.entries(tasks)) {
      const ms = await time(task);
      // The first round warms up.
      if (round > 0) times.get(name)?.push(ms);
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]));
}

/** Ten events are appended before each update, which is not measured; the sizes alternate. */
async function timeUpdates(store: Store, rounds: number): Promise<Record<string, number>> {
  const times = new Map<string, number[]>();
  const add = (name: string, ms: number): void => void times.set(name, [...(times.get(name) ?? []), ms]);
  const transcripts = new Map<number, Transcript>();
  for (const count of [SMALL, LARGE]) transcripts.set(count, await fromStore(store, String(count)));
  for (let round = 0; round < rounds; round++) {
    for (const [count, transcript] of transcripts) {
      await store.append(String(count), turn(count + round));
      const results: Transcript[] = [];
      const update = async (): Promise<void> => void results.push(await updateFromStore(store, transcript));
      add(`update ${count}`, await time(update));
      const [updated = transcript] = results;
      if (updated.lastSequence !== transcript.lastSequence + 10) throw new Error("nothing was updated");
      add(`copy ${count}`, await time(async () => void transcript.messages.slice()));
      transcripts.set(count, updated);
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]));
}

async function time(task: () => Promise<void>): Promise<number> {
  const started = process.hrtime.bigint();
  await task();
  return Number(process.hrtime.bigint() - started) / 1e6;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
