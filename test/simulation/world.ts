/**
 * The world of a simulation: machines whose clocks run and are set, processes that are killed and stand still, and one
 * list of events that may happen next, from which a seed chooses. Every timer and every message of every process goes
 * through this list, and only it makes time pass, so that one seed always gives the same run.
 */

import { hash } from "node:crypto";
import { createRandom, type Random } from "../store/harness/random.ts";

const realImmediate = setImmediate;
export const START_MS: number = Date.UTC(2026, 0, 1);

export interface Machine {
  readonly name: string;
  /** The difference between its time of day and the right one, after the clock was set. */
  wallOffsetMs: number;
  /** The id of the boot, which changes at each start. */
  boot: number;
}

export interface SimulatedProcess {
  readonly name: string;
  readonly pid: number;
  readonly machine: Machine;
  state: "alive" | "dead";
  /** Until this time, neither timers nor messages of the process move. */
  frozenUntil: number;
  readonly onKill: (() => void)[];
}

interface Timer {
  readonly id: number;
  readonly owner: SimulatedProcess;
  readonly run: () => void;
  at: number;
  readonly everyMs: number | undefined;
}

/** A message on its way to or from a process. Messages of one lane arrive in order. */
export interface Message {
  readonly owner: SimulatedProcess;
  readonly label: string;
  readonly lane?: object;
  /** Delivers the message, and does not wait for its effects. */
  deliver(): void;
  /** False if the message is lost when its process is killed. */
  readonly survives?: boolean;
}

export class World {
  readonly random: Random;
  now: number = START_MS;
  readonly processes: SimulatedProcess[] = [];
  readonly #timers = new Map<number, Timer>();
  #messages: Message[] = [];
  readonly #immediates: { readonly owner: SimulatedProcess; readonly run: () => void }[] = [];
  readonly #trace: string[] = [];
  #ids = 0;
  steps = 0;

  constructor(seed: number) {
    this.random = createRandom(seed);
  }

  /** Milliseconds since the beginning, by a clock that is never set. */
  get elapsedMs(): number {
    return this.now - START_MS;
  }

  begin(name: string, machine: Machine): SimulatedProcess {
    const pid = 1_000 + this.processes.length;
    const process: SimulatedProcess = { name, pid, machine, state: "alive", frozenUntil: 0, onKill: [] };
    this.processes.push(process);
    return process;
  }

  setTimer(owner: SimulatedProcess, run: () => void, ms: unknown, kind: "once" | "repeated"): number {
    if (owner.state === "dead") return 0;
    const delay = Math.max(1, Math.trunc(Number(ms ?? 1)) || 1);
    const id = ++this.#ids;
    const everyMs = kind === "repeated" ? delay : undefined;
    this.#timers.set(id, { id, owner, run, at: this.now + delay, everyMs });
    return id;
  }

  clearTimer(id: number): void {
    this.#timers.delete(id);
  }

  setImmediate(owner: SimulatedProcess, run: () => void): void {
    this.#immediates.push({ owner, run });
  }

  send(message: Message): void {
    if (message.owner.state === "alive" || message.survives === true) this.#messages.push(message);
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

  /** Waits until all started work waits for a timer or a message. */
  async settle(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => realImmediate(resolve));
      const ready = this.#immediates.splice(0);
      if (ready.length === 0) return;
      for (const { owner, run } of ready) if (owner.state === "alive") run();
    }
  }

  /** Kills a process. The messages that it sent may still arrive. */
  kill(process: SimulatedProcess): void {
    if (process.state === "dead") return;
    process.state = "dead";
    this.note(`${this.elapsedMs} ${process.name} is killed`);
    for (const timer of [...this.#timers.values()])
      if (timer.owner === process) this.#timers.delete(timer.id);
    this.#messages = this.#messages.filter(
      ({ owner, survives }) => owner !== process || (survives === true && this.random.chance(0.5)),
    );
    for (const act of process.onKill) act();
  }

  freeze(process: SimulatedProcess, ms: number): void {
    this.note(`${this.elapsedMs} ${process.name} stands still for ${ms}`);
    process.frozenUntil = this.now + ms;
  }

  setClock(machine: Machine, ms: number): void {
    this.note(`${this.elapsedMs} ${machine.name} sets its clock by ${ms}`);
    machine.wallOffsetMs += ms;
  }

  /** Lets one event happen. Returns false if nothing can happen any more. */
  async step(): Promise<boolean> {
    await this.settle();
    this.steps++;
    const ready = this.#ready();
    const timer = this.#nextTimer();
    if (
      ready.length > 0 &&
      (timer === undefined || timer.at > this.now + LATEST_MS || this.random.chance(0.85))
    ) {
      const message = this.random.pick(ready);
      this.#messages.splice(this.#messages.indexOf(message), 1);
      this.now += this.random.below(LATEST_MS);
      this.note(`${this.elapsedMs} ${message.owner.name} ${message.label}`);
      message.deliver();
      return true;
    }
    if (this.#thaw(timer?.at)) return true;
    if (timer === undefined) return false;
    this.now = Math.max(this.now, timer.at);
    if (timer.everyMs === undefined) this.#timers.delete(timer.id);
    else timer.at = this.now + timer.everyMs;
    this.note(`${this.elapsedMs} ${timer.owner.name} timer`);
    timer.run();
    return true;
  }

  #ready(): readonly Message[] {
    const lanes = new Set<object>();
    return this.#messages.filter((message) => {
      const { owner, lane } = message;
      if (owner.state === "alive" && owner.frozenUntil > this.now) return false;
      if (lane === undefined) return true;
      if (lanes.has(lane)) return false;
      lanes.add(lane);
      return true;
    });
  }

  #nextTimer(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values()) {
      if (timer.at < timer.owner.frozenUntil) timer.at = timer.owner.frozenUntil;
      if (next === undefined || timer.at < next.at) next = timer;
    }
    return next;
  }

  /** Wakes up a frozen process for which a message waits, if nothing else can happen before. */
  #thaw(before = Number.POSITIVE_INFINITY): boolean {
    if (this.#ready().length > 0) return false;
    const wakes = this.#messages.map(({ owner }) => owner.frozenUntil).filter((at) => at > this.now);
    const first = Math.min(...wakes);
    if (wakes.length === 0 || first >= before) return false;
    this.now = first;
    return true;
  }
}

/** The longest travel time of a message, in milliseconds. */
const LATEST_MS = 15;
