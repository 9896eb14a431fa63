/** A few clients of one log in one process, and the history of the answers that they got. */

import { isContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import type { Random } from "../harness/random.ts";
import type { Operation, Sight } from "./history.ts";

export type RecordedStore = Pick<Store, "append" | "getLog" | "read" | "tail" | "acquireLease">;

const CLIENTS = ["a", "b", "c"];
const ROUNDS = 40;
const SETTLED = 20;
const data = { name: "h" };

/**
 * Records appends by compare-and-swap under a lease that is lost all the time, reads, and a tail. Some answers are
 * lost.
 */
export async function recordHistory(
  store: Store,
  part: RecordedStore,
  random: Random,
): Promise<readonly Operation[]> {
  const { logId } = await store.createLog();
  const recorder = new Recorder(part, logId, random);
  const tail = recorder.follow();
  await Promise.all(CLIENTS.map((name) => recorder.work(name)));
  await recorder.settle();
  await recorder.readPage(0);
  await store.closeLog(logId);
  await tail;
  return recorder.history;
}

class Recorder {
  readonly history: Operation[] = [];
  readonly #part: RecordedStore;
  readonly #logId: string;
  readonly #random: Random;
  #clock = 0;
  #made = 0;

  constructor(part: RecordedStore, logId: string, random: Random) {
    this.#part = part;
    this.#logId = logId;
    this.#random = random;
  }

  async work(name: string): Promise<void> {
    let head = 0;
    let token = 0;
    for (let n = 0; n < ROUNDS; n++) {
      if (token === 0 || n % 7 === 0) token = (await this.#acquire(`${name}${n}`)) ?? token;
      const id = `${name}/${this.#made++}`;
      const expected = head;
      let latest = await this.#append(id, expected, token);
      // The call is repeated, as by a client that got no answer.
      if (typeof latest === "number" && this.#random.chance(0.5))
        latest = await this.#append(id, expected, token);
      if (latest === "fenced") token = 0;
      else if (latest === "lost") head = (await this.#readHead()) ?? head;
      else head = latest;
      if (this.#random.chance(0.2)) await this.#readHead();
      if (this.#random.chance(0.2)) await this.readPage(Math.max(0, head - this.#random.below(5)));
    }
  }

  /**
   * Appends without competition, then one of each refusal, so that on a machine of any speed the history is long and
   * has all kinds.
   */
  async settle(): Promise<void> {
    const token = await this.#acquireAtLast("settle");
    for (let n = 0; n < SETTLED; n++) {
      const head = (await this.#readHead()) ?? 0;
      await this.#append(`settle/${n}`, head, token, n === 0);
    }
    await this.#append("settle/conflict", 0, token);
    await this.#acquireAtLast("successor");
    await this.#append("settle/fenced", (await this.#readHead()) ?? 0, token);
  }

  /** The lease of the previous holder expires after a millisecond. */
  async #acquireAtLast(owner: string): Promise<number> {
    while (true) {
      const token = await this.#acquire(owner);
      if (token !== undefined) return token;
    }
  }

  async follow(): Promise<void> {
    const events: (Sight & { readonly at: number })[] = [];
    for await (const event of this.#part.tail(this.#logId))
      events.push({ ...sightOf(event), at: this.#now() });
    this.history.push({ type: "tail", events });
  }

  async readPage(after: number): Promise<void> {
    const start = this.#now();
    const { events } = await this.#part.read(this.#logId, { after });
    this.history.push({ type: "page", after, events: events.map(sightOf), start, end: this.#now() });
  }

  async #readHead(): Promise<number | undefined> {
    const start = this.#now();
    const log = await this.#part.getLog(this.#logId);
    if (log === null) return undefined;
    const { latestSequence: latest, chainHash: chain } = log;
    this.history.push({ type: "head", latest, chain, start, end: this.#now() });
    return latest;
  }

  async #acquire(owner: string): Promise<number | undefined> {
    const start = this.#now();
    const lease = await this.#part.acquireLease("l", { owner, ttlMs: 1 }).catch(() => undefined);
    if (lease !== undefined) {
      this.history.push({ type: "acquire", start, end: this.#now(), token: lease.token });
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
    return lease?.token;
  }

  async #append(
    id: string,
    expected: number,
    token: number,
    lost = this.#random.chance(0.1),
  ): Promise<number | "fenced" | "lost"> {
    const start = this.#now();
    try {
      const lease = { name: "l", token };
      const events = [{ id, type: "custom", data }];
      const [stored] = await this.#part.append(this.#logId, events, { expectedSequence: expected, lease });
      if (lost) {
        this.history.push({ type: "unknown", id, expected, token, start });
        return "lost";
      }
      const { sequence = 0, chainHash: chain = "" } = stored ?? {};
      this.history.push({ type: "append", id, expected, token, sequence, chain, start, end: this.#now() });
      return sequence;
    } catch (error) {
      if (isContinuoError(error, "conflict")) {
        const latest = Number(error.details.latestSequence);
        this.history.push({ type: "conflict", id, expected, latest, start, end: this.#now() });
        return latest;
      }
      if (!isContinuoError(error, "fenced")) throw error;
      const latest = Number(error.details.token);
      this.history.push({ type: "fenced", token, latest, start, end: this.#now() });
      return "fenced";
    }
  }

  #now(): number {
    return ++this.#clock;
  }
}

function sightOf({ sequence, id, chainHash: chain }: StoredEvent): Sight {
  return { sequence, id, chain };
}
