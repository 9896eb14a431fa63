/**
 * The gate that all workers of a process pass before a run works. A run that may have killed its process works with no
 * other one: new runs wait until it has ended. A run can wait for the result of another run, so both times are bounded;
 * after them, runs work together again, and none waits for another one forever.
 */

/** Ends the part of one run. */
export type Leave = () => void;

export interface GateLimits {
  /** Milliseconds that an isolated run, as the first in its line, waits for runs that work. Then it works with them. */
  readonly waitMs: number;
  /** Milliseconds that an isolated run works with no other one. Then others begin. */
  readonly aloneMs: number;
}

/** An attempt that ends its process usually does so early. */
const LIMITS: GateLimits = { waitMs: 120_000, aloneMs: 300_000 };

interface Waiter {
  readonly isIsolated: boolean;
  /** With `together`, an isolated run works with the others. */
  readonly enter: (how: "as asked" | "together") => void;
  timer?: NodeJS.Timeout;
}

export class ProcessGate {
  /** Runs that work together. */
  #together = 0;
  #isTaken = false;
  /** Runs that wait to work with no other one, before runs that continue after the answer of a person. */
  readonly #line: Waiter[] = [];
  readonly #onOpen = new Set<() => void>();
  readonly #limits: GateLimits;

  constructor(limits: GateLimits = LIMITS) {
    this.#limits = limits;
  }

  /** True if a new run may begin. */
  get isOpen(): boolean {
    return !this.#isTaken && !this.#line.some(({ isIsolated }) => isIsolated);
  }

  /** Calls `tell` once when the gate is open again. */
  whenOpen(tell: () => void): void {
    this.#onOpen.add(tell);
  }

  /** Enters at once, with the runs that work now. */
  join(): Leave {
    this.#together++;
    return this.#once(() => this.#together--);
  }

  /**
   * Enters when the gate is open or, with `isIsolated`, when no other run works. If `signal` aborts, nobody waits for the
   * run: it enters at once, with the others.
   */
  async enter({
    isIsolated,
    signal,
  }: {
    readonly isIsolated: boolean;
    readonly signal: AbortSignal;
  }): Promise<Leave> {
    if (signal.aborted || (!isIsolated && this.isOpen)) return this.join();
    return await new Promise((resolve) => {
      const insist = (): void => waiter.enter("together");
      const waiter: Waiter = {
        isIsolated,
        enter: (how) => {
          signal.removeEventListener("abort", insist);
          clearTimeout(waiter.timer);
          this.#line.splice(this.#line.indexOf(waiter), 1);
          resolve(isIsolated && how === "as asked" ? this.#alone() : this.join());
          this.#next();
        },
      };
      signal.addEventListener("abort", insist, { once: true });
      this.#line.push(waiter);
      this.#next();
    });
  }

  /** Takes the gate, and joins the others after the time limit. */
  #alone(): Leave {
    this.#isTaken = true;
    let leave = this.#once(() => {
      this.#isTaken = false;
    });
    const share = (): void => {
      const open = leave;
      leave = this.join();
      open();
    };
    const timer = setTimeout(share, this.#limits.aloneMs).unref();
    return () => {
      clearTimeout(timer);
      leave();
    };
  }

  #once(end: () => void): Leave {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      end();
      this.#next();
    };
  }

  #next(): void {
    if (this.#isTaken) return;
    const first = this.#line.find(({ isIsolated }) => isIsolated);
    if (first !== undefined) {
      if (this.#together === 0) first.enter("as asked");
      else first.timer ??= setTimeout(() => first.enter("together"), this.#limits.waitMs).unref();
      return;
    }
    const [next] = this.#line;
    if (next !== undefined) {
      // The next one follows it.
      next.enter("as asked");
      return;
    }
    const waiting = [...this.#onOpen];
    this.#onOpen.clear();
    for (const tell of waiting) tell();
  }
}

/** The gate of this process. */
export const PROCESS_GATE: ProcessGate = new ProcessGate();

/** The part of one run in the gate, from its beginning to its end. */
export interface Pass {
  /** Resolves when an isolated run has entered for the first time. Errors: the reason of `signal`. */
  readonly entered: (signal: AbortSignal) => Promise<void>;
  /** The run waits for a person. */
  leave(): void;
  enter(signal: AbortSignal): Promise<void>;
  end(): void;
}

export interface PassOptions {
  /** The run has joined the others already. */
  readonly joined: Leave | undefined;
  /** The run leaves the others, and enters as soon as it can. */
  readonly isIsolated: boolean;
}

export function passOf(gate: ProcessGate, { joined, isIsolated }: PassOptions): Pass {
  const over = new AbortController();
  let leave = joined;
  const enter = async (signal: AbortSignal): Promise<void> => {
    leave?.();
    leave = await gate.enter({ isIsolated, signal: AbortSignal.any([signal, over.signal]) });
    if (over.signal.aborted) leave();
  };
  const entering = isIsolated ? enter(over.signal) : Promise.resolve();
  return {
    entered: (signal) => unlessAborted(entering, signal),
    leave: () => leave?.(),
    enter,
    end: () => {
      leave?.();
      over.abort();
    },
  };
}

async function unlessAborted(entering: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.race([entering, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
