/** The store as a simulated process sees it: every call travels, and may be refused, or executed without an answer. */

import { type ErrorCode, isContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import type { SimulatedProcess, World } from "./world.ts";

export interface Faults {
  /** The probability of each failure of a call: the database is busy, it is away, or its answer is lost. */
  busy: number;
  away: number;
  lost: number;
  /** No call is answered before this time. */
  awayUntil: number;
}

export const CALM: Faults = { busy: 0, away: 0, lost: 0, awayUntil: 0 };

type Model = typeof import("@continuo/core/model");

export interface StoreLink {
  readonly world: World;
  readonly process: SimulatedProcess;
  /** The process's own classes of errors. */
  readonly model: Model;
  readonly faults: Faults;
}

type Call = (...args: readonly unknown[]) => Promise<unknown>;

export function storeOver(store: Store, link: StoreLink): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (key === "tail") return (logId: string, options: object) => tailOver(target, link, [logId, options]);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => request(link, String(key), () => (value.bind(target) as Call)(...args));
    },
  });
}

/** Methods that are called all the time; most of these calls arrive at once. */
const FREQUENT: ReadonlySet<string> = new Set(["listLeases"]);

/** The share of answers that travel. The others arrive at once, which takes fewer steps. */
const LATE = 0.3;

function request(link: StoreLink, name: string, call: () => Promise<unknown>): Promise<unknown> {
  const { world, process, model, faults } = link;
  const { random } = world;
  return new Promise((resolve, reject) => {
    const answer = (label: string, deliver: () => void): void => {
      const text = `${label} ${name}`;
      if (random.chance(LATE)) world.send({ owner: process, label: text, deliver });
      else {
        world.note(text);
        if (process.state === "alive") deliver();
      }
    };
    const fail = (code: ErrorCode, what: string): void =>
      answer(code, () => reject(new model.ContinuoError(code, `the simulated store ${what}`)));
    const deliver = (): void => {
      if (world.now < faults.awayUntil || random.chance(faults.away)) fail("unavailable", "is away");
      else if (random.chance(faults.busy)) fail("busy", "is busy");
      else execute(random.chance(faults.lost));
    };
    const execute = (isLost: boolean): void => {
      call().then(
        (value) => {
          if (isLost) fail("unavailable", "gave an answer that was lost");
          else answer("=", () => resolve(value));
        },
        (error: unknown) => {
          if (isLost) fail("unavailable", "gave an answer that was lost");
          else
            answer(isCoded(error) ? error.code : `! ${String(error)}`, () => reject(asTheirs(error, model)));
        },
      );
    };
    if (FREQUENT.has(name) && process.frozenUntil <= world.now && random.chance(0.8)) deliver();
    else world.send({ owner: process, label: name, deliver, survives: true });
  });
}

interface Coded extends Error {
  readonly code: ErrorCode;
  readonly hint?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Recognizes errors by their shape, because each copy of the code has its own class of errors. */
function isCoded(error: unknown): error is Coded {
  return isContinuoError(error) || (error instanceof Error && error.name === "ContinuoError");
}

function asTheirs(error: unknown, { ContinuoError }: Model): unknown {
  if (!isCoded(error)) return error;
  const { code, message, hint, details } = error;
  return new ContinuoError(code, message, hint === undefined ? { details } : { hint, details });
}

async function* tailOver(
  store: Store,
  { world, process, model }: StoreLink,
  [logId, options]: readonly [string, { readonly signal?: AbortSignal }],
): AsyncGenerator<StoredEvent> {
  const over = new AbortController();
  process.onKill.push(() => over.abort());
  const { signal } = options;
  const either = AbortSignal.any(signal === undefined ? [over.signal] : [over.signal, signal]);
  const tail = store.tail(logId, { ...options, signal: either })[Symbol.asyncIterator]();
  const lane = {};
  try {
    for (;;) {
      const next = await tail.next().catch((error: unknown) => {
        throw asTheirs(error, model);
      });
      if (process.state === "dead") await new Promise(() => undefined);
      if (next.done === true) return;
      await new Promise<void>((resolve) => {
        world.send({ owner: process, label: "tail", lane, deliver: resolve });
      });
      yield next.value;
    }
  } finally {
    await tail.return?.();
  }
}
