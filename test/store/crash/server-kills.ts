/**
 * A Postgres server that is killed again and again under writers and readers, and the history of the answers that they
 * got.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { isContinuoError, type Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import type { Operation, Sight } from "../concurrency/history.ts";
import type { PostgresServer } from "../harness/postgres-server.ts";
import type { Random } from "../harness/random.ts";

export interface ServerKills {
  readonly history: readonly Operation[];
  /** Calls that failed because the server was away. */
  readonly refused: number;
  readonly verified: boolean;
}

const WRITERS = 3;
/** The least number of appends that are acknowledged between two kills. */
const BETWEEN = 5;

export async function killServer(
  server: PostgresServer,
  { kills, random }: { readonly kills: number; readonly random: Random },
): Promise<ServerKills> {
  await using store = await openStore(server.url);
  const { logId } = await store.createLog();
  const clients = new Clients(store, logId);
  clients.start();
  for (let kill = 0; kill < kills; kill++) {
    const before = clients.acknowledged;
    while (clients.acknowledged < before + BETWEEN) await sleep(5);
    await sleep(random.below(100));
    await server.kill();
    await server.start();
  }
  await clients.stop();
  const { history, refused } = clients;
  return { history, refused, verified: (await store.verify(logId)).ok };
}

class Clients {
  readonly history: Operation[] = [];
  acknowledged = 0;
  refused = 0;
  readonly #store: Store;
  readonly #logId: string;
  readonly #seen: (Sight & { readonly at: number })[] = [];
  #state: "working" | "stopped" = "working";
  #made = 0;
  #working: Promise<unknown> = Promise.resolve();
  #following: Promise<unknown> = Promise.resolve();

  constructor(store: Store, logId: string) {
    this.#store = store;
    this.#logId = logId;
  }

  start(): void {
    const writers = Array.from({ length: WRITERS }, () => this.#write());
    this.#working = Promise.all([...writers, this.#read()]);
    this.#following = this.#follow();
  }

  /** The last page holds all events, and the end of the log ends the tail. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    await this.#working;
    while ((await this.#page(0)) === undefined);
    while ((await this.#try(() => this.#store.closeLog(this.#logId))) === "away");
    await this.#following;
    this.history.push({ type: "tail", events: this.#seen });
  }

  async #write(): Promise<void> {
    let head = 0;
    while (this.#state === "working") {
      const id = `w/${this.#made++}`;
      head = await this.#append(id, head);
    }
  }

  /** The append is repeated with the same id until it is stored or refused. */
  async #append(id: string, expected: number): Promise<number> {
    for (;;) {
      const start = now();
      try {
        const event = { id, type: "custom", data: { name: "kill" } };
        const [stored] = await this.#store.append(this.#logId, [event], { expectedSequence: expected });
        const { sequence = 0, chainHash: chain = "" } = stored ?? {};
        this.history.push({ type: "append", id, expected, sequence, chain, start, end: now() });
        this.acknowledged++;
        return sequence;
      } catch (error) {
        if (isContinuoError(error, "conflict")) {
          const latest = Number(error.details.latestSequence);
          this.history.push({ type: "conflict", id, expected, latest, start, end: now() });
          return latest;
        }
        await this.#wait(error);
        this.history.push({ type: "unknown", id, expected, start });
      }
    }
  }

  async #read(): Promise<void> {
    let head = 0;
    while (this.#state === "working") {
      const start = now();
      const log = await this.#try(() => this.#store.getLog(this.#logId));
      if (log !== "away" && log !== null) {
        head = log.latestSequence;
        this.history.push({ type: "head", latest: head, chain: log.chainHash, start, end: now() });
      }
      await this.#page(Math.max(0, head - 3));
      await sleep(2);
    }
  }

  async #page(after: number): Promise<"read" | undefined> {
    const start = now();
    const page = await this.#try(() => this.#store.read(this.#logId, { after }));
    if (page === "away") return undefined;
    const events = page.events.map(({ sequence, id, chainHash: chain }) => ({ sequence, id, chain }));
    this.history.push({ type: "page", after, events, start, end: now() });
    return "read";
  }

  /** Whenever the server goes away, the tail begins again after its last event. */
  async #follow(): Promise<void> {
    for (let result: unknown = "away"; result === "away"; ) result = await this.#try(() => this.#tail());
  }

  async #tail(): Promise<void> {
    for await (const event of this.#store.tail(this.#logId, { after: this.#seen.at(-1)?.sequence ?? 0 })) {
      const { sequence, id, chainHash: chain } = event;
      this.#seen.push({ sequence, id, chain, at: now() });
    }
  }

  async #try<T>(call: () => Promise<T>): Promise<T | "away"> {
    try {
      return await call();
    } catch (error) {
      await this.#wait(error);
      return "away";
    }
  }

  async #wait(error: unknown): Promise<void> {
    if (!isContinuoError(error, "unavailable")) throw error;
    this.refused++;
    await sleep(20);
  }
}

function now(): number {
  return Number(process.hrtime.bigint());
}
