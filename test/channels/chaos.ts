/**
 * Many clients and agents that claim and answer inputs, on several servers of one Postgres, behind a proxy that cuts,
 * delays and half-closes, while servers are killed. Every reader keeps what it was given; afterwards it is compared
 * with the log, and so are the answers with the inputs.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type AgenticClient, type ClientEvent, connect } from "../../src/client/index.ts";
import { isContinuoError, type Store, type StoredEvent } from "../../src/model/index.ts";
import { isInputFor, recordOf } from "../../src/wire/index.ts";
import { type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";

export interface ChaosOptions {
  readonly store: Store;
  readonly storeUrl: string;
  readonly clients: number;
  readonly agents: number;
  readonly servers: number;
  readonly durationMs: number;
  /** A deliberately broken server, by name. */
  readonly fault?: string;
}

export interface ChaosResult {
  /** What is wrong, in sentences. */
  readonly failures: readonly string[];
  readonly messages: number;
  readonly answers: number;
  readonly cuts: number;
  readonly kills: number;
}

const CHANNEL = "chaos";
const LOG = `channels/${CHANNEL}`;

interface Server {
  url: string;
  child: ChildProcess;
}

async function startServer(storeUrl: string, workspaceId: string, fault: string): Promise<Server> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "chaos-server.ts"), storeUrl, workspaceId, fault],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  for await (const line of createInterface({ input: child.stdout })) return { url: line, child };
  throw new Error("the server did not start");
}

interface Reader {
  readonly handle: string;
  readonly sequences: number[];
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one story, whose parts share everything
export async function chaos(options: ChaosOptions): Promise<ChaosResult> {
  const { store, storeUrl, durationMs, fault = "none" } = options;
  const { workspaceId } = store;
  const servers = await Promise.all(
    Array.from({ length: options.servers }, () => startServer(storeUrl, workspaceId, fault)),
  );
  const proxies = await Promise.all(servers.map(({ url }) => cuttingProxy(url)));
  const stop = new AbortController();
  const acknowledged = new Map<string, number>();
  const readers: Reader[] = [];
  const clients: AgenticClient[] = [];
  const errors: string[] = [];
  const join = async (handle: string, n: number): Promise<AgenticClient> => {
    for (;;) {
      try {
        const serverUrl = proxies[n % proxies.length]?.url ?? "";
        const client = await connect({
          serverUrl,
          channel: CHANNEL,
          handle,
          workspaceId,
          replayMode: "stream",
        });
        clients.push(client);
        return client;
      } catch (error) {
        if (!isContinuoError(error, "unavailable")) throw error;
        await pause(100);
      }
    }
  };
  const answering = new Map<string, Promise<void>>();
  const read = async (client: AgenticClient, reader: Reader): Promise<void> => {
    const { handle } = reader;
    for await (const event of client.events()) {
      if (event.sequence !== undefined) reader.sequences.push(event.sequence);
      if (!bots.includes(handle) || !isInput(event)) continue;
      const before = answering.get(handle) ?? Promise.resolve();
      const own = before.then(() => answer(client, event));
      answering.set(
        handle,
        own.catch((error: unknown) => void errors.push(`${handle}: ${String(error)}`)),
      );
    }
  };
  const reading: Promise<void>[] = [];
  const writing: Promise<void>[] = [];
  const people = Array.from({ length: options.clients }, (_, n) => `person-${n}`);
  const bots = Array.from({ length: options.agents }, (_, n) => `bot-${n}`);
  for (const [n, handle] of [...people, ...bots].entries()) {
    const client = await join(handle, n);
    const reader: Reader = { handle, sequences: [] };
    readers.push(reader);
    reading.push(
      read(client, reader).catch((error: unknown) => void errors.push(`${handle} ended: ${String(error)}`)),
    );
    if (!people.includes(handle)) continue;
    const write = writeUntil(stop.signal, { client, handle, bots, acknowledged });
    writing.push(
      write.catch((error: unknown) => void errors.push(`${handle} could not write: ${String(error)}`)),
    );
  }
  const kills = await disturb({ servers, proxies, storeUrl, workspaceId, fault, durationMs });
  stop.abort();
  for (const proxy of proxies) proxy.delay(0);
  await Promise.all(writing);
  await untilAnswered(store, bots);
  await Promise.all(answering.values());
  const latest = await store.latestSequence(LOG);
  const deadline = Date.now() + 60_000;
  while (readers.some(({ sequences }) => (sequences.at(-1) ?? 0) < latest) && Date.now() < deadline)
    await pause(100);
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(reading);
  const cuts = proxies.reduce((sum, proxy) => sum + proxy.cuts, 0);
  for (const { child } of servers) child.kill("SIGKILL");
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  const found = await check(store, { readers, acknowledged, latest, bots });
  return {
    failures: [...errors, ...found.failures],
    messages: acknowledged.size,
    answers: found.answers,
    cuts,
    kills,
  };
}

interface Writing {
  readonly client: AgenticClient;
  readonly handle: string;
  readonly bots: readonly string[];
  readonly acknowledged: Map<string, number>;
}

async function writeUntil(
  signal: AbortSignal,
  { client, handle, bots, acknowledged }: Writing,
): Promise<void> {
  for (let at = 0; !signal.aborted; at++) {
    const bot = at % 25 === 0 ? ` @bot-${(at / 25) % Math.max(1, bots.length)}` : "";
    const { messageId } = await client.send(`${handle} ${at}${bot}`);
    acknowledged.set(messageId, at);
    await pause(100 + Math.random() * 200);
  }
}

type Input = ClientEvent & { readonly sequence: number; readonly content: string };

function isInput(event: ClientEvent): event is Input {
  if (!event.addressed || event.sequence === undefined) return false;
  return event.type === "complete" || (event.type === "message" && event.state === "complete");
}

/** As an agent does it: claim, a message in progress, the end of the run. */
async function answer(client: AgenticClient, event: Input): Promise<void> {
  for (;;) {
    try {
      const claim = await client.claimInput(event.sequence, { agent: "chaos" });
      if (claim.state === "done") return;
      await client.send("", { messageId: claim.answerId, replyTo: claim.messageId });
      await client.update(claim.answerId, `to ${event.content.replaceAll("@", "")}`);
      await client.complete(claim.answerId);
      await client.endRun(claim.runId, { status: "completed", answer: event.content });
      return;
    } catch (error) {
      // The server interrupted the answer while there was no connection: the next claim gives the input again.
      if (!isContinuoError(error, "conflict")) throw error;
    }
  }
}

/** Or a minute is over: then the checker says what is missing. */
async function untilAnswered(store: Store, bots: readonly string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (const bot of bots) {
    const last = (await eventsOf(store)).findLast((event) => isInputFor(event, bot))?.sequence ?? 0;
    const processed = async (): Promise<number> =>
      (await store.getCursor({ logId: LOG, name: `processed/${bot}` }))?.sequence ?? 0;
    while ((await processed()) < last && Date.now() < deadline) await pause(100);
  }
}

async function eventsOf(store: Store): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(LOG, { after });
    events.push(...page.events);
    after = page.nextAfter;
  }
  return events;
}

interface Disturbed {
  readonly servers: readonly Server[];
  readonly proxies: readonly CuttingProxy[];
  readonly storeUrl: string;
  readonly workspaceId: string;
  readonly fault: string;
  readonly durationMs: number;
}

async function disturb({ servers, proxies, ...all }: Disturbed): Promise<number> {
  const end = Date.now() + all.durationMs;
  let kills = 0;
  while (Date.now() < end) {
    await pause(500 + Math.random() * 1_000);
    const n = Math.floor(Math.random() * servers.length);
    const [proxy, server] = [proxies[n], servers[n]];
    if (proxy === undefined || server === undefined) continue;
    const what = Math.random();
    if (what < 0.45) proxy.cutAll();
    else if (what < 0.65) proxy.halfCloseOne();
    else if (what < 0.85) proxy.delay(what < 0.75 ? 50 : 0);
    else {
      kills++;
      server.child.kill("SIGKILL");
      const next = await startServer(all.storeUrl, all.workspaceId, all.fault);
      server.child = next.child;
      proxy.retarget(next.url);
    }
  }
  return kills;
}

interface Checked {
  readonly readers: readonly Reader[];
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly latest: number;
  readonly bots: readonly string[];
}

interface Found {
  readonly failures: readonly string[];
  readonly answers: number;
}

/**
 * Every reader has every event of the log once and in its order, but for parts of messages that had ended when it came
 * back; every acknowledged message is in the log once; every input has one whole answer.
 */
async function check(store: Store, { readers, acknowledged, latest, bots }: Checked): Promise<Found> {
  const failures: string[] = [];
  const events = await eventsOf(store);
  const ids = new Set<string>();
  for (const { id } of events) {
    if (ids.has(id)) failures.push(`${id} is in the log twice.`);
    ids.add(id);
  }
  for (const id of acknowledged.keys())
    if (!ids.has(id)) failures.push(`${id} was acknowledged and is lost.`);
  const needed = events.filter((event) => event.sequence <= latest && !isPart(event));
  for (const { handle, sequences } of readers) {
    const wrong = sequences.findIndex((sequence, at) => at > 0 && sequence <= (sequences[at - 1] ?? 0));
    if (wrong !== -1) failures.push(`${handle} was given ${sequences[wrong]} after ${sequences[wrong - 1]}.`);
    const given = new Set(sequences);
    const missing = needed.filter(({ sequence }) => !given.has(sequence));
    if (missing.length === 0) continue;
    failures.push(`${handle} was not given ${missing.length} events; the first is ${missing[0]?.sequence}.`);
  }
  const answered = answersIn(events);
  for (const bot of bots) {
    for (const { sequence } of events.filter((event) => isInputFor(event, bot))) {
      const count = answered.get(`${bot}:${sequence}`) ?? 0;
      if (count !== 1) {
        const told = storyOf(events, `answer:run:${CHANNEL}:${bot}:${sequence}:`);
        failures.push(`${bot} gave ${count} whole answers to the input ${sequence}: ${told}.`);
      }
    }
  }
  return { failures, answers: answered.size };
}

/** Its end holds all of it, and a replay may leave it out. */
function isPart({ type, data }: StoredEvent): boolean {
  if (type === "message_sent") return recordOf(data).state === "open";
  return type === "message_streamed" || type === "message_updated";
}

/** What became of messages whose ids begin so. */
function storyOf(events: readonly StoredEvent[], prefix: string): string {
  return events
    .flatMap(({ id, sequence, type, data }) => {
      const messageId = String(recordOf(data).messageId ?? id);
      return messageId.startsWith(prefix) ? [`${sequence} ${type} ${messageId.slice(prefix.length)}`] : [];
    })
    .join(", ");
}

/** How many whole answers each input has, by handle and sequence. */
function answersIn(events: readonly StoredEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { type, data } of events) {
    if (type !== "message_completed") continue;
    const [, input] = /^answer:run:chaos:([^:]+:\d+):\d+$/u.exec(String(recordOf(data).messageId)) ?? [];
    if (input !== undefined) counts.set(input, (counts.get(input) ?? 0) + 1);
  }
  return counts;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
