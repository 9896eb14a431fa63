/** The front door, opened: the store, the queue of this process, sessions and approvals. */

import { inspect } from "node:util";
import {
  assertKnownOptions,
  ContinuoError,
  isContinuoError,
  listAll,
  type Store,
} from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { toDefinition } from "./agents.ts";
import { ApprovalDesk } from "./approvals.ts";
import { createChannelHandle } from "./channel.ts";
import { everyDay } from "./every-day.ts";
import { failureTextOf } from "./failure-text.ts";
import { createHandler, type OpenHandler } from "./handler.ts";
import type { Host } from "./host.ts";
import { createMembers } from "./members.ts";
import { assertReplayOptions, assertWorkOptions, CLOSE_OPTIONS, DEAD_LETTER_FILTERS } from "./options.ts";
import { replaySession } from "./replay.ts";
import { deadLetters, reviveDeadLetter } from "./retries.ts";
import { toSentRun } from "./run.ts";
import { RunReaders } from "./run-readers.ts";
import { createSessionHandle } from "./session.ts";
import { observeWaiting } from "./telemetry.ts";
import type { AgentDefinition, Continuo, ContinuoOptions, QueueState, WorkOptions } from "./types.ts";
import { recover, Worker } from "./worker.ts";

const PARALLEL = 16;
const GRACE_MS = 5_000;

export async function createContinuo(url: string | Store, options: ContinuoOptions): Promise<Continuo> {
  const agents = agentsOf(options);
  const isOwnStore = typeof url === "string";
  const store = isOwnStore ? await openStore(url, options.store) : url;
  const workers = new Set<Worker>();
  const handlers: OpenHandler[] = [];
  const report = options.onError ?? warn;
  const host: Host = {
    store,
    options,
    agents,
    approvals: new ApprovalDesk(store, { timeLimitMs: options.approvalMs, retriedAfter: options.retry?.on }),
    readers: new RunReaders(),
    poke: () => pokeAll(workers),
    report,
    failureText: failureTextOf(options.failureText, report),
  };
  const work = ({ agents: names, parallel = options.parallel ?? PARALLEL }: WorkOptions = {}): Worker => {
    const worker = new Worker(host, { agents: definitionsOf(agents, names), parallel });
    workers.add(worker);
    worker.start();
    return worker;
  };
  /** The queue that runs if the program started none; `work` replaces it. */
  let own = agents.size > 0 && options.work !== false ? work() : null;
  if (own === null && options.recover !== undefined) await recover(host, "all");
  const unobserve = observeWaiting(() => countWaiting(store));
  const closed = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;
  const stop = async (worker: Worker, graceMs: number): Promise<void> => {
    await worker.stop(graceMs);
    workers.delete(worker);
  };
  const continuo: Continuo = {
    store,
    session: (sessionId, described) => createSessionHandle(host, sessionId, described),
    channel: (name) => createChannelHandle(store, name, members),
    everyDay: (time, send) => void closed.promise.then(everyDay(time, send, report)),
    approvals: host.approvals,
    async work(asked = {}) {
      assertWorkOptions(asked);
      const before = own;
      own = null;
      const worker = work(asked);
      // The earlier queue accepts no more runs, and its runs continue until they end.
      before?.finish().catch(host.report);
      await Promise.race([closed.promise, abortOf(asked.signal)]);
      await stop(worker, GRACE_MS);
    },
    deadLetters: deadLettersOf(host),
    failureText: host.failureText,
    queue: () => queueOf(store, workers),
    handler(handling) {
      const opened = createHandler(continuo, handling, report);
      handlers.push(opened);
      return opened.handler;
    },
    async replay(sessionId, replaying) {
      assertReplayOptions(replaying);
      return await replaySession(store, sessionId, replaying);
    },
    close: (asked = {}) => {
      assertKnownOptions("close", asked, CLOSE_OPTIONS);
      const { graceMs = GRACE_MS } = asked;
      closing ??= (async () => {
        closed.resolve();
        members.stop();
        // Readers would otherwise wait for runs that end now.
        await Promise.all(handlers.map((handler) => handler.close()));
        await Promise.all([...workers].map((worker) => stop(worker, graceMs)));
        await members.close();
        unobserve();
        if (isOwnStore) await store.close();
      })();
      return closing;
    },
    [Symbol.asyncDispose]: () => continuo.close(),
  };
  const members = createMembers(continuo, host);
  return continuo;
}

function deadLettersOf({ store, poke }: Host): Continuo["deadLetters"] {
  return {
    async list(options = {}) {
      assertKnownOptions("deadLetters.list", options, DEAD_LETTER_FILTERS);
      return await deadLetters(store, options);
    },
    async retry(runId) {
      const run = await reviveDeadLetter(store, runId);
      poke();
      return toSentRun(run, null);
    },
  };
}

function pokeAll(workers: Iterable<Worker>): void {
  for (const worker of workers) worker.poke();
}

/** Node's warning leaves out the stack and the cause of an error, and shows its `detail`. */
function warn(error: unknown): void {
  if (!isContinuoError(error)) process.emitWarning(inspect(error));
  else process.emitWarning(error.hint === undefined ? error : Object.assign(error, { detail: error.hint }));
}

/** Errors: `usage`. */
function agentsOf({ agents = [] }: ContinuoOptions): ReadonlyMap<string, AgentDefinition> {
  const known = new Map<string, AgentDefinition>();
  for (const agent of agents) {
    if (known.has(agent.name)) {
      throw new ContinuoError("usage", `two agents have the name ${agent.name}`, {
        hint: "Give one of them another `name`.",
      });
    }
    known.set(agent.name, toDefinition(agent));
  }
  return known;
}

/** Errors: `not_found`. */
function definitionsOf(
  agents: ReadonlyMap<string, AgentDefinition>,
  names: readonly string[] | undefined,
): readonly AgentDefinition[] {
  return (names ?? [...agents.keys()]).map((name) => {
    const definition = agents.get(name);
    if (definition !== undefined) return definition;
    throw new ContinuoError("not_found", `there is no agent ${JSON.stringify(name)} in this program`, {
      hint: "Give it to `openContinuo`.",
    });
  });
}

async function queueOf(store: Store, workers: ReadonlySet<Worker>): Promise<QueueState> {
  const sum = (count: (worker: Worker) => number): number =>
    [...workers].reduce((total, worker) => total + count(worker), 0);
  const waiting = await countWaiting(store);
  return {
    running: sum(({ running }) => running),
    asking: sum(({ asking }) => asking),
    waiting,
    parallel: sum(({ parallel }) => parallel),
  };
}

async function countWaiting(store: Store): Promise<number> {
  let runs = 0;
  for await (const _ of listAll((place) => store.listRuns({ status: "pending", limit: 1_000, ...place })))
    runs++;
  return runs;
}

function abortOf(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
