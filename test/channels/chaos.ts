/**
 * Many clients, and agents that claim and answer inputs, on several servers of one Postgres. A proxy cuts, delays and
 * half-closes their connections, and servers are killed. Every reader records the events that it receives. Afterwards,
 * the records are compared with the log, and the answers with the inputs.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type AgenticClient, connect } from "@continuo/core/client";
import { isContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import { isInputFor } from "@continuo/core/wire";
import { createRandom, type Random } from "../store/harness/random.ts";
import { answer, isInput, wholeTextOf } from "./chaos-agent.ts";
import { answerCount, type History, type Reader, type ReceivedEvent, violationsOf } from "./chaos-checker.ts";
import { type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";

export interface ChaosOptions {
  readonly store: Store;
  readonly storeUrl: string;
  /** The path of `chaos-server.ts`, or of its bundle. */
  readonly program: string;
  readonly clients: number;
  readonly agents: number;
  readonly servers: number;
  /** The least time of the disturbance; a busy machine continues until `enough` events happened. */
  readonly durationMs: number;
  readonly enough?: Enough;
  /**
   * The seed of the disturbances and of the writers' pauses. It does not decide the order of work that runs at the same
   * time.
   */
  readonly seed: number;
  /** A deliberately broken server, by name. */
  readonly fault?: string;
}

/** The events that must have happened before the disturbance ends, however slow the machine is. */
export interface Enough {
  readonly messages: number;
  readonly cuts: number;
  readonly kills: number;
}

export interface ChaosResult extends Disturbances {
  /** The violations, as sentences. */
  readonly failures: readonly string[];
  readonly messages: number;
  readonly answers: number;
}

export interface Disturbances {
  /** Connections that were cut. */
  readonly cuts: number;
  /** Connections of which one side was closed. */
  readonly halfCloses: number;
  /** The number of times that the proxy changed its delay. */
  readonly delays: number;
  /** Servers that were killed. */
  readonly kills: number;
}

/** The numbers for the table of `docs/proof.md`. */
export function countsOf(result: ChaosResult): string {
  const count = (n: number, what: string): string => `${n.toLocaleString("en")} ${what}`;
  return [
    count(result.messages, "messages"),
    count(result.answers, "answers"),
    count(result.cuts, "connections cut"),
    count(result.halfCloses, "half-closed"),
    count(result.delays, "delays"),
    count(result.kills, "servers killed"),
  ].join(", ");
}

export const CHANNEL = "chaos";
export const LOG: string = `channels/${CHANNEL}`;

interface Server {
  url: string;
  child: ChildProcess;
}

interface Start {
  readonly program: string;
  readonly storeUrl: string;
  readonly workspaceId: string;
  readonly fault: string;
}

async function startServer({ program, storeUrl, workspaceId, fault }: Start): Promise<Server> {
  const child = spawn(process.execPath, [program, storeUrl, workspaceId, fault], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) return { url: line, child };
  throw new Error("the server did not start");
}

interface Recording extends Reader {
  readonly given: ReceivedEvent[];
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one story, whose parts share everything
export async function chaos(options: ChaosOptions): Promise<ChaosResult> {
  const { store, program, storeUrl, durationMs, seed, fault = "none" } = options;
  const { workspaceId } = store;
  const start = { program, storeUrl, workspaceId, fault };
  const servers = await Promise.all(Array.from({ length: options.servers }, () => startServer(start)));
  const proxies = await Promise.all(servers.map(({ url }) => cuttingProxy(url)));
  const stop = new AbortController();
  const giveUp = new AbortController();
  const acknowledged = new Set<string>();
  const readers: Recording[] = [];
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
  const read = async (client: AgenticClient, { handle, given }: Recording): Promise<void> => {
    for await (const event of client.events({ parts: true })) {
      if (event.sequence !== undefined) given.push({ sequence: event.sequence, text: wholeTextOf(event) });
      if (!bots.includes(handle) || !isInput(event)) continue;
      const before = answering.get(handle) ?? Promise.resolve();
      const own = before.then(() => answer(client, event, giveUp.signal));
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
    const reader: Recording = { handle, given: [] };
    readers.push(reader);
    reading.push(
      read(client, reader).catch((error: unknown) => void errors.push(`${handle} ended: ${String(error)}`)),
    );
    if (!people.includes(handle)) continue;
    const random = createRandom(seed + n);
    const write = writeUntil(stop.signal, { client, handle, bots, acknowledged, random });
    writing.push(
      write.catch((error: unknown) => void errors.push(`${handle} could not write: ${String(error)}`)),
    );
  }
  const random = createRandom(seed);
  const { enough = { messages: 0, cuts: 0, kills: 0 } } = options;
  const isEnough = (kills: number): boolean =>
    kills >= enough.kills && cutsOf(proxies) >= enough.cuts && acknowledged.size >= enough.messages;
  const disturbances = await disturb({
    servers,
    proxies,
    start,
    durationMs,
    random,
    isEnough,
  });
  stop.abort();
  for (const proxy of proxies) proxy.delay(0);
  await Promise.all(writing);
  await untilAnswered(store, bots);
  giveUp.abort();
  await Promise.all(answering.values());
  const latest = await store.latestSequence(LOG);
  const deadline = Date.now() + 60_000;
  while (readers.some(({ given }) => (given.at(-1)?.sequence ?? 0) < latest) && Date.now() < deadline)
    await pause(100);
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(reading);
  const cuts = cutsOf(proxies);
  for (const { child } of servers) child.kill("SIGKILL");
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  const events = (await eventsOf(store)).filter(({ sequence }) => sequence <= latest);
  const history: History = { channel: CHANNEL, events, readers, acknowledged, bots };
  return {
    ...disturbances,
    failures: [...errors, ...violationsOf(history)],
    messages: acknowledged.size,
    answers: answerCount(history),
    cuts,
  };
}

interface Writing {
  readonly client: AgenticClient;
  readonly handle: string;
  readonly bots: readonly string[];
  readonly acknowledged: Set<string>;
  readonly random: Random;
}

async function writeUntil(
  signal: AbortSignal,
  { client, handle, bots, acknowledged, random }: Writing,
): Promise<void> {
  for (let at = 0; !signal.aborted; at++) {
    const bot = at % 25 === 0 ? ` @bot-${(at / 25) % Math.max(1, bots.length)}` : "";
    const { messageId } = await client.send(`${handle} ${at}${bot}`);
    acknowledged.add(messageId);
    await pause(100 + random.below(200));
  }
}

/** After a minute the wait ends in any case, and the checker reports what is missing. */
export async function untilAnswered(store: Store, bots: readonly string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  const events = await eventsOf(store);
  for (const bot of bots) {
    const last = events.findLast((event) => isInputFor(event, bot))?.sequence ?? 0;
    const processed = async (): Promise<number> =>
      (await store.getCursor({ logId: LOG, name: `processed/${bot}` }))?.sequence ?? 0;
    while ((await processed()) < last && Date.now() < deadline) await pause(100);
  }
}

/** Every event of the channel. */
export async function eventsOf(store: Store): Promise<readonly StoredEvent[]> {
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
  readonly start: Start;
  readonly durationMs: number;
  readonly isEnough: (kills: number) => boolean;
  readonly random: Random;
}

function cutsOf(proxies: readonly CuttingProxy[]): number {
  return proxies.reduce((sum, proxy) => sum + proxy.cuts, 0);
}

/** About one disturbance happens every second. */
async function disturb({ servers, proxies, random, ...all }: Disturbed): Promise<Omit<Disturbances, "cuts">> {
  const end = Date.now() + all.durationMs;
  const done = { halfCloses: 0, delays: 0, kills: 0 };
  while (Date.now() < end || !all.isEnough(done.kills)) {
    await pause(500 + random.below(1_000));
    const n = random.below(servers.length);
    const [proxy, server] = [proxies[n], servers[n]];
    if (proxy === undefined || server === undefined) continue;
    const what = random.below(100);
    if (what < 45) proxy.cutAll();
    else if (what < 65) {
      const side = random.pick(["client", "server"] as const);
      if (proxy.halfCloseOne(side, random.below(1_000))) done.halfCloses++;
    } else if (what < 85) {
      if (what < 75) done.delays++;
      proxy.delay(what < 75 ? 50 : 0);
    } else {
      done.kills++;
      server.child.kill("SIGKILL");
      const next = await startServer(all.start);
      server.child = next.child;
      proxy.retarget(next.url);
    }
  }
  return done;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
