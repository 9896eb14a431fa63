/**
 * Stores the events of one run, in their order, under the lease of its session. Events that arrive during an append
 * share the next one. Events that could not be written stay here until the end of the run tries again.
 */

import { types } from "node:util";
import {
  ContinuoError,
  isContinuoError,
  jsonLengthAtLeast,
  knownError,
  type NewEvent,
  present,
  type Store,
  type StoredEvent,
  type ToolOffer,
  type Write,
} from "@continuo/core/model";
import type { JournalEntry } from "./entry.ts";
import { LIMITS } from "./limits.ts";

export interface JournalOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly runId: string;
  /** The author of the events. */
  readonly agent: string;
  /** Makes ids of events. */
  readonly newId: () => string;
  readonly lease: { readonly name: string; readonly token: number };
  /** Called once, when an event could not be written. */
  readonly onFailure: (error: unknown) => void;
  /** Called with the events that were stored. If it throws or rejects, the run fails. */
  readonly onStored?: (events: readonly StoredEvent[]) => void;
}

export function offerOf({ tools = [], toolsLeftOut = 0 }: Partial<ToolOffer>): Required<ToolOffer> {
  return { tools, toolsLeftOut };
}

interface Item {
  readonly event: NewEvent;
  readonly also: Write | undefined;
  readonly chars: number;
}

interface PendingFlush {
  /** The number of items that must be written before it resolves. */
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface LastAppend {
  readonly entries: readonly JournalEntry[];
  readonly also: readonly Write[];
  /** Events that are not of this run, and come after its end. */
  readonly after?: readonly NewEvent[];
}

export interface JournalEnd {
  /** The last words of the agent. */
  readonly said: readonly JournalEntry[];
  readonly last: (lostEvents: number) => Promise<LastAppend>;
  readonly bare: (refusal: ContinuoError, lostEvents: number) => LastAppend;
}

export class Journal {
  readonly #options: JournalOptions;
  #queue: Item[] = [];
  /** Characters that are not yet written. */
  #chars = 0;
  #given = 0;
  #written = 0;
  #waiting: PendingFlush[] = [];
  #patches: Write[] = [];
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** The number of events that the store refuses. */
  #lost = 0;
  /** This run knows or wrote every event of the log up to this sequence. */
  #known: number;
  #last: number;

  constructor(options: JournalOptions, { known, head }: { readonly known: number; readonly head: number }) {
    this.#options = options;
    this.#known = known;
    this.#last = head;
  }

  /** The agent received everything up to this sequence. */
  knows(sequence: number): void {
    this.#known = Math.max(this.#known, sequence);
    this.#last = Math.max(this.#last, sequence);
  }

  /** The agent knows every event up to this sequence. The next event, if there is one, is from another writer. */
  get knownUpTo(): number {
    return this.#known;
  }

  get failure(): unknown {
    return this.#failure?.error;
  }

  /** Resolves when there is room for more (`room`), or when everything is durable (`durable`). */
  keep(entries: readonly JournalEntry[], until: "room" | "durable"): Promise<void> {
    for (const entry of this.#failure === undefined ? entries : []) this.#add(entry);
    if (this.#chars > LIMITS.unwrittenChars) this.#fail(tooFarAhead());
    if (this.#failure !== undefined) return refused(this.#failure.error);
    if (this.#queue.length > 0) this.#writing ??= this.#write();
    if (until === "room" && this.#chars < LIMITS.roomChars) return Promise.resolve();
    if (this.#written >= this.#given) return Promise.resolve();
    return handled(
      new Promise((resolve, reject) => this.#waiting.push({ upTo: this.#given, resolve, reject })),
    );
  }

  /** Writes to a row together with the next events; the end of the run has a write of its own. */
  patch(write: Write): void {
    this.#patches.push(write);
  }

  /** The tools that this agent last offered its model in this session; none if the log does not have them. */
  async offeredTools(): Promise<Required<ToolOffer>> {
    const { store, sessionId, agent } = this.#options;
    const after = Math.max(0, this.#last - LIMITS.offerEvents);
    const types = ["mode_changed"];
    const { events } = await store.read(sessionId, {
      after,
      types,
      order: "newest",
      limit: LIMITS.offersRead,
    });
    const own = events.filter(({ actor }) => actor.agent === agent);
    const offers = own.map(({ data }) => data as Partial<ToolOffer> | null);
    return offerOf(offers.findLast((data) => data?.tools !== undefined) ?? {});
  }

  /** Counts an event that cannot be stored as lost, and makes the run fail. */
  lose(error: unknown): Promise<void> {
    this.#lost++;
    this.#fail(error);
    return refused(error);
  }

  /** Reports the events that were stored before the journal existed. */
  tell(stored: readonly StoredEvent[]): void {
    const { onStored } = this.#options;
    if (onStored === undefined) return;
    const fail = (error: unknown): void => this.#fail(knownError(error));
    try {
      const given: unknown = onStored(stored);
      // An asynchronous function fails later.
      if (types.isPromise(given)) Promise.resolve(given).catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  /**
   * The last append, with everything that is not yet written. After a failure it is tried again without the events that
   * the store refuses: `last` receives the number of these events. If the store refuses the end itself, `bare` makes an
   * end that the store accepts.
   */
  async end({ said, last, bare }: JournalEnd): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#failure !== undefined) await this.#salvage();
    this.#patches = [];
    const { entries, also, after = [] } = await last(this.#lost);
    for (const entry of [...said, ...entries]) this.#add(entry);
    const queue = this.#queue.splice(0);
    const others = after.map((event) => ({ event, also: undefined, chars: 0 }));
    try {
      await this.#append([...queue, ...others], also);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#appendEach(queue.slice(0, queue.length - entries.length));
      const { entries: fewer, also: less } = bare(error, this.#lost);
      for (const entry of fewer) this.#add(entry);
      await this.#append(this.#queue.splice(0), less);
    }
  }

  #add({ type, data, by = "agent", also, blobs }: JournalEntry): void {
    const { agent, runId, newId } = this.#options;
    const actor = by === "agent" ? ({ kind: "agent", agent } as const) : ({ kind: by } as const);
    const chars = charsOf(data);
    this.#queue.push({
      event: { id: newId(), type, data, runId, actor, ...present({ blobs }) },
      also,
      chars,
    });
    this.#chars += chars;
    this.#given++;
  }

  async #write(): Promise<void> {
    // Events of the same moment are written together.
    await undefined;
    try {
      while (this.#queue.length > 0 && this.#failure === undefined) {
        const batch = this.#nextBatch();
        try {
          await this.#append(batch, []);
        } catch (error) {
          this.#queue.unshift(...batch);
          this.#fail(error);
        }
      }
    } finally {
      this.#writing = undefined;
    }
  }

  #nextBatch(): Item[] {
    let chars = 0;
    let count = 0;
    for (const item of this.#queue) {
      chars += item.chars;
      if (count > 0 && (chars > LIMITS.batchChars || count >= LIMITS.batchEvents)) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  async #append(batch: readonly Item[], also: readonly Write[]): Promise<readonly StoredEvent[]> {
    const { store, sessionId, lease } = this.#options;
    const writes = [...batch.flatMap((item) => item.also ?? []), ...this.#patches.splice(0), ...also];
    const stored = await store.append(
      sessionId,
      batch.map(({ event }) => event),
      { lease, also: writes },
    );
    for (const { sequence } of stored) {
      // If there is a gap, somebody else wrote an event that the agent did not receive.
      if (sequence === this.#last + 1 && this.#known === this.#last) this.#known = sequence;
      this.#last = Math.max(this.#last, sequence);
    }
    for (const { chars } of batch) this.#chars -= chars;
    this.#written += batch.length;
    const done = this.#waiting.filter(({ upTo }) => upTo <= this.#written);
    this.#waiting = this.#waiting.filter(({ upTo }) => upTo > this.#written);
    for (const { resolve } of done) resolve();
    this.tell(stored);
    return stored;
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#options.onFailure(error);
  }

  /**
   * Writes the remaining events, one by one if the store refuses some. Errors: those that mean that the store cannot be
   * reached.
   */
  async #salvage(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      try {
        await this.#append(batch, []);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        await this.#appendEach(batch);
      }
    }
  }

  async #appendEach(batch: readonly Item[]): Promise<void> {
    for (const item of batch) {
      try {
        await this.#append([item], []);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        this.#lost++;
      }
    }
  }
}

/** True if the store refuses this event, but may accept others. */
function isRefusal(error: unknown): error is ContinuoError {
  return isContinuoError(error, "invalid") || isContinuoError(error, "too_large");
}

function tooFarAhead(): ContinuoError {
  return new ContinuoError(
    "too_large",
    `the agent sent ${LIMITS.unwrittenChars} characters more than could be stored in time`,
    { hint: "Await `onEvent` in the agent.", details: { limit: LIMITS.unwrittenChars } },
  );
}

/** An agent that does not wait for `onEvent` must not end the process. */
export function handled(promise: Promise<void>): Promise<void> {
  promise.catch(ignore);
  return promise;
}

export function refused(error: unknown): Promise<void> {
  return handled(Promise.reject(error));
}

function ignore(): void {
  // Callers that wait for the promise receive the error.
}

/** The approximate number of characters of the payload; exact for parts of a message. */
function charsOf(data: Readonly<Record<string, unknown>>): number {
  const { delta } = data;
  return typeof delta === "string" ? delta.length + 100 : jsonLengthAtLeast(data, LIMITS.unwrittenChars);
}
