/** The store as a simulated process has it: every call travels, and may be refused, or executed without an answer. */

import { type ErrorCode, isContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import type { Graph } from "./graphs.ts";
import type { SimulatedProcess, World } from "./world.ts";

export interface Faults {
  /** The probability of each failure of a call: the database is busy, it is away, its answer is lost. */
  busy: number;
  away: number;
  lost: number;
  /** Nothing answers before that time. */
  awayUntil: number;
}

interface Link {
  readonly world: World;
  readonly process: SimulatedProcess;
  readonly graph: Graph;
  readonly faults: Faults;
}

type Call = (...args: readonly unknown[]) => Promise<unknown>;

export function storeOver(store: Store, link: Link): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (key === "tail") return (logId: string, options: object) => tailOver(target, link, [logId, options]);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => request(link, String(key), () => (value.bind(target) as Call)(...args));
    },
  });
}

function request(link: Link, name: string, call: () => Promise<unknown>): Promise<unknown> {
  const { world, process, graph, faults } = link;
  return new Promise((resolve, reject) => {
    const fail = (code: ErrorCode, what: string): void => {
      if (process.state === "alive")
        reject(new graph.model.ContinuoError(code, `the simulated store ${what}`));
    };
    const deliver = async (): Promise<void> => {
      const { random } = world;
      if (world.now < faults.awayUntil || random.chance(faults.away)) return fail("unavailable", "is away");
      if (random.chance(faults.busy)) return fail("busy", "is busy");
      const isLost = random.chance(faults.lost);
      try {
        const answer = await call();
        world.note(`= ${name}${isLost ? " lost" : ""}`);
        if (isLost) return fail("unavailable", "gave an answer that was lost");
        if (process.state === "alive") resolve(answer);
      } catch (error) {
        world.note(`! ${name} ${isContinuoError(error) ? error.code : String(error)}`);
        if (isLost) return fail("unavailable", "gave an answer that was lost");
        if (process.state === "alive") reject(asTheirs(error, graph));
      }
    };
    world.send({ owner: process, label: name, deliver });
  });
}

/** Each copy of the code has a class of errors of its own. */
function asTheirs(error: unknown, { model }: Graph): unknown {
  if (!isContinuoError(error)) return error;
  const { code, message, hint, details } = error;
  return new model.ContinuoError(code, message, hint === undefined ? { details } : { hint, details });
}

async function* tailOver(
  store: Store,
  link: Link,
  [logId, options]: readonly [string, object],
): AsyncGenerator<StoredEvent> {
  const { world, process, graph } = link;
  const tail = store.tail(logId, options)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await tail.next().catch((error: unknown) => {
        throw asTheirs(error, graph);
      });
      if (process.state === "dead") await new Promise(() => undefined);
      if (next.done === true) return;
      await new Promise<void>((resolve) => {
        world.send({ owner: process, label: "tail", deliver: async () => resolve() });
      });
      yield next.value;
    }
  } finally {
    await tail.return?.();
  }
}
