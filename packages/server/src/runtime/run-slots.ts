/**
 * The slots of a worker: a run has one while its agent works, and gives it back while it waits for a person. A run
 * whose last question has its answer takes a slot before a new run does. An isolated run has, in addition to its
 * slot, the whole process.
 */

import { type Leave, type ProcessGate, passOf } from "./process-gate.ts";

/**
 * The largest number of runs that wait for a person without a slot: each renews the lease of its session, and follows
 * its log.
 */
const MAX_WAITING = 1_000;

export interface RunSlot {
  /**
   * Resolves when an isolated run is the only one that works in this process, and at once for any other run.
   * Errors: the reason of `signal`.
   */
  readonly isolated: (signal: AbortSignal) => Promise<void>;
  /** A question to a person begins. */
  pause(): void;
  /**
   * The question has its answer. Resolves when the run may continue with a slot: at once if another question of the
   * run is open. If `signal` aborts, nobody waits for the answer: the run has a slot at once, even if none is free.
   */
  resume(signal: AbortSignal): Promise<void>;
  release(): void;
}

export interface RunSlotOptions {
  /** The agent of the run has a process, which lives while it waits. */
  readonly hasProcess: boolean;
  /** No other run of this process works at the same time; from now on no further one begins before it has ended. */
  readonly isIsolated?: boolean;
}

export class RunSlots {
  readonly #count: number;
  readonly #onFree: () => void;
  readonly #gate: ProcessGate;
  /** Slots that were reserved, and whose run has not begun. */
  readonly #reserved: Leave[] = [];
  #taken = 0;
  /**
   * Runs that wait for a person with a slot, because too many others wait without one; each may try to give it back.
   */
  readonly #holding = new Set<() => void>();
  #waiting = 0;
  #waitingProcesses = 0;
  /** Runs that continue when a slot is free, in the order of their answers. */
  readonly #line: (() => void)[] = [];

  /** @param onFree called when a slot becomes free other than by `release` or `cancel` */
  constructor(count: number, onFree: () => void, gate: ProcessGate) {
    this.#count = count;
    this.#onFree = onFree;
    this.#gate = gate;
  }

  /** Takes a slot for a run that is still to be found: `begin` or `cancel` follows. `false` if none is free. */
  reserve(): boolean {
    if (this.#taken >= this.#count) return false;
    if (!this.#gate.isOpen) {
      this.#gate.whenOpen(this.#onFree);
      return false;
    }
    this.#taken++;
    this.#reserved.push(this.#gate.join());
    return true;
  }

  cancel(): void {
    this.#reserved.pop()?.();
    this.#giveBack();
  }

  /** True if each slot is taken by a run that waits for a person. */
  get allWait(): boolean {
    return this.#holding.size >= this.#count;
  }

  /** The number of runs that wait for a person without a slot. */
  get waiting(): number {
    return this.#waiting;
  }

  begin({ hasProcess, isIsolated = false }: RunSlotOptions): RunSlot {
    let open = 0;
    const pass = passOf(this.#gate, { joined: this.#reserved.pop(), isIsolated });
    let state: "working" | "holding" | "waiting" | "returning" | "released" = "working";
    let returning: Promise<void> | undefined;
    const leave = (): void => {
      pass.leave();
      const isFull = this.#waiting >= MAX_WAITING || (hasProcess && this.#waitingProcesses >= this.#count);
      state = isFull ? "holding" : "waiting";
      if (isFull) return void this.#holding.add(leave);
      this.#holding.delete(leave);
      this.#waiting++;
      if (hasProcess) this.#waitingProcesses++;
      this.#free();
    };
    const endWait = (): void => {
      this.#holding.delete(leave);
      if (state !== "waiting") return;
      this.#waiting--;
      if (hasProcess) this.#waitingProcesses--;
      // Others that wait may give their slots back now.
      for (const next of [...this.#holding]) next();
    };
    const comeBack = async (signal: AbortSignal): Promise<void> => {
      const isWaiting = state === "waiting";
      endWait();
      state = "returning";
      if (isWaiting) await this.#next(signal);
      await pass.enter(signal);
      // The run has ended meanwhile.
      if (isReleased()) return this.#free();
      state = "working";
      if (open > 0) leave();
    };
    const isReleased = (): boolean => state === "released";
    return {
      isolated: pass.entered,
      pause: () => {
        open++;
        if (state === "working") leave();
      },
      resume: async (signal) => {
        open--;
        // A question can begin and end while the run comes back from another one.
        while (open === 0 && state !== "working" && !isReleased()) {
          returning ??= comeBack(signal).finally(() => {
            returning = undefined;
          });
          await returning;
        }
      },
      release: () => {
        endWait();
        pass.end();
        if (state === "working" || state === "holding") this.#giveBack();
        state = "released";
      },
    };
  }

  #free(): void {
    this.#giveBack();
    this.#onFree();
  }

  #giveBack(): void {
    this.#taken--;
    this.#advance();
  }

  #advance(): void {
    while (this.#taken < this.#count) {
      const next = this.#line.shift();
      if (next === undefined) return;
      this.#taken++;
      next();
    }
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const begin = (): void => {
        signal.removeEventListener("abort", insist);
        resolve();
      };
      const insist = (): void => {
        this.#line.splice(this.#line.indexOf(begin), 1);
        this.#taken++;
        resolve();
      };
      if (signal.aborted) {
        this.#taken++;
        return resolve();
      }
      signal.addEventListener("abort", insist, { once: true });
      this.#line.push(begin);
      this.#advance();
    });
  }
}
