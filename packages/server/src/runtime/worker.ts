/** The queue of one process: executes waiting runs, and recovers what other processes left. */

import { setImmediate as turn } from "node:timers/promises";
import { type Agent, ContinuoError, isContinuoError, present, type Run } from "@continuo/core/model";
import {
  executeRun,
  MAX_TIMER_MS,
  newOwner,
  rootIn,
  type WakeAllOptions,
  wakeAll,
} from "@continuo/store/sessions";
import { contextOf } from "./agents.ts";
import type { RunApprovals } from "./approvals.ts";
import type { Host } from "./host.ts";
import { isIsolated } from "./isolation.ts";
import { PROCESS_GATE } from "./process-gate.ts";
import { type Report, reportNew } from "./report-new.ts";
import { attemptAfter, isDead, retry, startDue } from "./retries.ts";
import { unreadFailure } from "./run-readers.ts";
import { RunSlots } from "./run-slots.ts";
import type { AgentDefinition } from "./types.ts";

export interface WorkerOptions {
  readonly agents: readonly AgentDefinition[];
  readonly parallel: number;
}

const POLL_MS = 250;
/** The interval at which a process looks for runs of dead processes. */
const RECOVER_MS = 2_000;

export class Worker {
  readonly #host: Host;
  readonly #agents: ReadonlyMap<string, AgentDefinition>;
  readonly #parallel: number;
  readonly #slots: RunSlots;
  /** The runs that are being executed, each with the id of its session. */
  readonly #running = new Map<Promise<void>, string>();
  readonly #abandoned = new AbortController();
  #isStopped = false;
  #poke: (() => void) | undefined;
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #loop: Promise<void> | undefined;

  constructor(host: Host, { agents, parallel }: WorkerOptions) {
    this.#host = host;
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.#parallel = parallel;
    this.#slots = new RunSlots(parallel, () => this.poke(), PROCESS_GATE);
  }

  get running(): number {
    return this.#running.size - this.asking;
  }

  /** The number of runs that wait for a person, and take no slot. */
  get asking(): number {
    return this.#slots.waiting;
  }

  /** The number of runs that it may execute at the same time; 0 after it stopped accepting runs. */
  get parallel(): number {
    return this.#isStopped ? 0 : this.#parallel;
  }

  start(): void {
    this.#loop ??= this.#work();
  }

  poke(): void {
    this.#poke?.();
  }

  /** Accepts no further run, and waits for the running ones; after `graceMs`, other processes get them. */
  async stop(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#abandoned.abort(), Math.min(graceMs, MAX_TIMER_MS));
    try {
      await this.finish();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Accepts no further run, and waits for the running ones without a time limit. */
  async finish(): Promise<void> {
    this.#isStopped = true;
    this.poke();
    await this.#loop;
    await Promise.all(this.#running.keys());
  }

  async #work(): Promise<void> {
    const { store, options } = this.#host;
    const agents = [...this.#agents.keys()];
    const report: Report = (error) => {
      if (!this.#isStopped) this.#host.report(error);
    };
    // Each step handles its errors separately: a session or an input that cannot be handled must not delay others.
    const recoverLeft = reportNew(report, (tell) => this.#recover(tell));
    const steps = [
      async () => {
        if (performance.now() - this.#recoveredAt >= RECOVER_MS) await recoverLeft();
      },
      reportNew(report, (tell) => startDue(store, tell)),
      reportNew(report, () => this.#claim(agents)),
      reportNew(report, () => this.#assertSlot()),
    ];
    // The caller of `openContinuo` has its result before the first run begins, so that an agent can use it.
    await turn();
    while (!this.#isStopped) {
      // A poke during a search counts as well.
      const poked = Promise.withResolvers<void>();
      this.#poke = poked.resolve;
      for (const step of steps) if (!this.#isStopped) await step();
      if (this.#isStopped) break;
      const timer = setTimeout(poked.resolve, options.pollMs ?? POLL_MS);
      await poked.promise;
      clearTimeout(timer);
    }
  }

  async #recover(report: Report): Promise<void> {
    const sessions = this.#recoveredAt === Number.NEGATIVE_INFINITY ? "all" : "running";
    await recover({ ...this.#host, report }, sessions);
    this.#recoveredAt = performance.now();
  }

  async #claim(agents: readonly string[]): Promise<void> {
    while (!this.#isStopped && this.#slots.reserve()) {
      const owner = newOwner();
      let run: Run | null = null;
      try {
        run = await this.#host.store.claimNextRun({ owner, agents });
      } finally {
        if (run === null) this.#slots.cancel();
      }
      if (run === null) break;
      this.#begin(run, owner);
    }
  }

  /** Errors: `rate_limited` if a message waits only because each slot is taken by a run that waits for a person. */
  async #assertSlot(): Promise<void> {
    if (!this.#slots.allWait) return;
    const { items } = await this.#host.store.listRuns({ status: "pending" });
    // The next message of a session that runs waits for the answer before it, not for a slot.
    const sessions = new Set(this.#running.values());
    if (!items.some(({ sessionId, agent }) => this.#agents.has(agent ?? "") && !sessions.has(sessionId)))
      return;
    throw new ContinuoError(
      "rate_limited",
      `all ${this.#parallel} running messages wait for a person, and others cannot begin`,
      {
        hint: "Give a higher `parallel`, set `approvalMs`, or answer an approval.",
      },
    );
  }

  #begin(run: Run, owner: string): void {
    const executing = this.#execute(run, owner)
      .catch((error: unknown) => {
        // The run was left to other processes, or taken by them.
        if (!this.#abandoned.signal.aborted && !isContinuoError(error, "fenced")) this.#host.report(error);
      })
      .finally(() => {
        this.#running.delete(executing);
        this.poke();
      });
    this.#running.set(executing, run.sessionId);
  }

  async #execute(run: Run, owner: string): Promise<void> {
    const { store, options, approvals, readers, report } = this.#host;
    const definition = this.#agents.get(run.agent ?? "");
    const slot = this.#slots.begin({
      hasProcess: definition?.hasProcess === true,
      isIsolated: isIsolated(run),
    });
    using __ = { [Symbol.dispose]: () => slot.release() };
    if (definition === undefined) return;
    const own = approvals.forRun(run, slot);
    const agent = openedForRun(definition, own);
    const heldCalls = await own.heldCalls();
    const continuationOpts = await contextOf(definition);
    // A stopped run can end before its agent returns.
    using _ = { [Symbol.dispose]: () => own.end() };
    using watched = readers.watch(run);
    const result = await executeRun(store, agent, run.runId, {
      claimedBy: owner,
      continuation: "auto",
      resumeInterrupted: true,
      adapterOpts: { onPermission: own.ask, ...(heldCalls.length === 0 ? {} : { heldCalls }) },
      // The worker counts by itself: a run that waits for a person takes no slot.
      maxParallel: Number.MAX_SAFE_INTEGER,
      abandon: this.#abandoned.signal,
      retry: (ended, status) =>
        attemptAfter(this.#host, ended, { status, isHandedBack: this.#abandoned.signal.aborted }),
      ...present({
        continuationOpts,
        leaseMs: options.leaseMs,
        ready: isIsolated(run) ? slot.isolated : undefined,
      }),
    });
    const { status } = result;
    // An expected failure has a code, and is the run's result. Any other one is a mistake in the program's own code.
    const isMistake = status === "failed" && result.cause !== undefined && !isContinuoError(result.cause);
    if (isMistake) report(result.cause);
    const hasFailed = status === "failed" || status === "timeout";
    if (hasFailed && options.retry?.on?.includes(status) === true) return await retry(this.#host, run.runId);
    if (status === "failed" && !isMistake && !watched.wasRead)
      report(unreadFailure(run, result.error.message, result.cause));
    if (status === "timeout" && !watched.wasRead) report(unreadFailure(run, "it took too long"));
    await approvals.close(rootIn(run));
  }
}

/**
 * Returns an agent that is opened only when it is asked, so that the run fails if it cannot be opened. The agent is
 * closed afterwards.
 */
function openedForRun({ name, open }: AgentDefinition, { ask: onPermission, end }: RunApprovals): Agent {
  let opening: ReturnType<AgentDefinition["open"]> | undefined;
  const opened = (): ReturnType<AgentDefinition["open"]> => {
    opening ??= open({ onPermission });
    return opening;
  };
  return {
    name,
    capabilities: async (options) => (await (await opened()).capabilities?.(options)) ?? {},
    async execute(request, options) {
      const agent = await opened();
      try {
        return await agent.execute(request, options);
      } finally {
        end();
        await agent[Symbol.asyncDispose]?.();
        opening = undefined;
      }
    },
  };
}

/** Ends the runs of dead processes, and gives their inputs to their agents again if the program wants that. */
export async function recover(
  host: Host & { readonly report: Report },
  sessions: "running" | "all",
): Promise<void> {
  const { store, options, report } = host;
  const { leaseMs } = options;
  const waking: WakeAllOptions = {
    sessions,
    pending: "keep",
    retry: (run, status) => attemptAfter(host, run, { status }),
    onError: report,
    ...present({ leaseMs }),
  };
  for await (const { unprocessed } of wakeAll(store, waking)) {
    if (options.recover !== "retry") continue;
    for (const { runId } of unprocessed) {
      try {
        const run = await store.getRun(runId);
        if (run !== null && !(await isDead(store, rootIn(run)))) await retry(host, runId);
      } catch (error) {
        report(error, runId);
      }
    }
  }
}
