/**
 * The world of a simulation: one clock, one network and one list of things that may happen next, from which a seed
 * chooses. Every timer and every call to the store of every simulated process goes through it, and nothing else makes
 * time pass, so that one seed always gives the same run.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { hash } from "node:crypto";
import { createRandom, type Random } from "../store/harness/random.ts";

const realImmediate = setImmediate;
const START_MS = Date.UTC(2026, 0, 1);

export interface SimulatedProcess {
  readonly name: string;
  state: "alive" | "dead";
  /** Neither its timers nor its calls move before that time. */
  frozenUntil: number;
}

interface Timer {
  readonly id: number;
  readonly owner: SimulatedProcess | undefined;
  readonly run: () => void;
  at: number;
  readonly everyMs: number | undefined;
}

/** A call on its way to the store, or an answer on its way back. */
export interface Message {
  readonly owner: SimulatedProcess;
  readonly label: string;
  /** Returns when everything that it causes at once has happened. */
  deliver(): Promise<void>;
}

export class World {
  readonly random: Random;
  now: number = START_MS;
  readonly #owner = new AsyncLocalStorage<SimulatedProcess>();
  readonly #timers = new Map<number, Timer>();
  readonly #messages: Message[] = [];
  readonly #trace: string[] = [];
  #ids = 0;

  constructor(seed: number) {
    this.random = createRandom(seed);
  }

  /** Replaces the clock, the timers and the chance of the whole program. */
  install(): void {
    const add = (run: () => void, ms: number | undefined, repeats: boolean): object => {
      const delay = Math.max(1, Math.trunc(Number(ms ?? 1)) || 1);
      const timer: Timer = {
        id: ++this.#ids,
        owner: this.#owner.getStore(),
        run: AsyncLocalStorage.bind(run),
        at: this.now + delay,
        everyMs: repeats ? delay : undefined,
      };
      this.#timers.set(timer.id, timer);
      const handle = { id: timer.id, ref: () => handle, unref: () => handle, hasRef: () => true };
      return handle;
    };
    const clear = (handle: { readonly id?: number } | undefined): void => {
      this.#timers.delete(handle?.id ?? 0);
    };
    Object.assign(globalThis, {
      setTimeout: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
        add(() => run(...given), ms, false),
      setInterval: (run: () => void, ms?: number) => add(run, ms, true),
      clearTimeout: clear,
      clearInterval: clear,
    });
    Date.now = () => this.now;
    performance.now = () => this.now - START_MS;
    Math.random = () => this.random.below(2 ** 30) / 2 ** 30;
  }

  /** Runs something as a process: its timers end with it. */
  within<T>(process: SimulatedProcess, run: () => T): T {
    return this.#owner.run(process, run);
  }

  send(message: Message): void {
    this.#messages.push(message);
  }

  note(text: string): void {
    this.#trace.push(text);
  }

  get hash(): string {
    return hash("sha256", this.#trace.join("\n"), "hex").slice(0, 16);
  }

  get trace(): readonly string[] {
    return this.#trace;
  }

  /** Waits until everything that was begun waits for a timer or the store. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => realImmediate(resolve));
  }

  kill(process: SimulatedProcess): void {
    process.state = "dead";
    for (const timer of [...this.#timers.values()])
      if (timer.owner === process) this.#timers.delete(timer.id);
  }

  /** One thing happens. False when nothing ever will. */
  async step(): Promise<boolean> {
    await this.settle();
    const ready = this.#messages.filter(({ owner }) => this.#moves(owner));
    const timer = this.#nextTimer();
    if (ready.length > 0 && (timer === undefined || this.random.chance(0.85))) {
      const message = this.random.pick(ready);
      this.#messages.splice(this.#messages.indexOf(message), 1);
      this.now += this.random.below(15);
      this.note(`${this.now - START_MS} ${message.owner.name} ${message.label}`);
      await message.deliver();
      return true;
    }
    if (timer === undefined) return this.#thaw();
    this.now = Math.max(this.now, timer.at);
    if (timer.everyMs === undefined) this.#timers.delete(timer.id);
    else timer.at = this.now + timer.everyMs;
    this.note(`${this.now - START_MS} ${timer.owner?.name ?? "-"} timer`);
    timer.run();
    return true;
  }

  #moves(owner: SimulatedProcess | undefined): boolean {
    return owner === undefined || (owner.state === "dead" ? true : owner.frozenUntil <= this.now);
  }

  #nextTimer(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values()) {
      const at = Math.max(timer.at, timer.owner?.frozenUntil ?? 0);
      if (next === undefined || at < Math.max(next.at, next.owner?.frozenUntil ?? 0)) next = timer;
    }
    if (next !== undefined) next.at = Math.max(next.at, next.owner?.frozenUntil ?? 0);
    return next;
  }

  /** Only those who are frozen are left. */
  #thaw(): boolean {
    const until = this.#messages.map(({ owner }) => owner.frozenUntil).filter((at) => at > this.now);
    if (until.length === 0) return false;
    this.now = Math.min(...until);
    return true;
  }
}
