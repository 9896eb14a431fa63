/** Processes of two machines that share sessions, and what must be true of their runs afterwards. */

import type { Agent, AgentResult, ExecuteOptions, Run, Store } from "@continuo/core/model";
import { CALM, type Faults, storeOver } from "./network.ts";
import type { Exports } from "./programs.ts";
import { faultsIn, type RunReports } from "./run-promises.ts";
import {
  createMachine,
  disturb,
  type Outcome,
  openDatabase,
  runUntil,
  type SimulationOptions,
  usualFaults,
  type Weather,
} from "./scenario.ts";
import { surround } from "./surroundings.ts";
import { type Machine, type SimulatedProcess, World } from "./world.ts";

const SESSIONS = ["one", "two"] as const;
const STEPS = 240;
/** A world that has not ended after this number of steps hangs. */
const MAX_STEPS = 40_000;
const LEASE_MS = 30_000;
const SHORT_LEASE_MS = 3_000;
/** A process stands still for at most this number of its leases. */
const FROZEN_LEASES = 3;
const STEPS_OF_SLEEP = 300;
/** The probability that an answer of the database is lost; the repeated calls show whether the loss matters. */
const LOST = 0.12;
/** A started run begins after about this time. */
const BEGINNING_MS = 200;
/**
 * The longest pause of an agent between two messages, and the probability that its process stands still at one of them.
 */
interface Manner {
  readonly longestMs: number;
  readonly sleep: number;
}

const TALKING: Manner = { longestMs: 6_000, sleep: 0.2 };
const LAST_WORDS: Manner = { longestMs: 200, sleep: 0 };
/** The limit is larger than the number of events in all logs. */
const LAST_STEPS = 2_000;

const WEATHER: Weather = {
  kill: 0.003,
  freeze: 0.01,
  freezeMs: 0,
  away: 0.003,
  awayMs: 30_000,
  clock: 0.004,
};

interface Member {
  readonly world: World;
  readonly process: SimulatedProcess;
  readonly worker: Exports["worker"];
  readonly store: Store;
  readonly promised: RunReports;
  /** The time after which other processes may take over a session that this process holds. */
  readonly leaseMs: number;
}

interface Joining {
  readonly faults: Faults;
  readonly leaseMs: number;
}

export async function simulateRuns(seed: number, options: SimulationOptions): Promise<Outcome> {
  const { programs, generations, until = Number.POSITIVE_INFINITY } = options;
  const world = new World(seed);
  const { store: base, machine } = await openDatabase(world, programs);
  const machines = [createMachine("first"), createMachine("second")];
  await during(
    world,
    (async () => {
      for (const sessionId of SESSIONS) await base.createSession({ sessionId });
    })(),
  );
  const promised: RunReports = { runs: new Map(), said: new Map(), seen: [], faults: [] };
  const join = (name: string, on: Machine, { faults, leaseMs }: Joining): Member => {
    const process = world.begin(name, on);
    const worker = programs.worker(surround(world, process));
    const store = storeOver(base, { world, process, model: worker.model, faults });
    return { world, process, worker, store, promised, leaseMs };
  };
  let disturbed = 0;
  for (let generation = 0; generation < generations && disturbed < until; generation++) {
    const { random } = world;
    const faults = { ...usualFaults(), lost: LOST };
    // With a short lease, a process that stands still wakes up when another process has its session.
    const leaseMs = random.pick([SHORT_LEASE_MS, LEASE_MS]);
    const processes: SimulatedProcess[] = [];
    const bear = (on: Machine): void => {
      const member = join(`${generation}.${processes.length}`, on, { faults, leaseMs });
      processes.push(member.process);
      begin(member);
    };
    // The two processes run on one machine or on two. On one machine, a process can see that the other one has ended.
    bear(machines[0] as Machine);
    bear(random.pick(machines));
    const weather = { ...WEATHER, freezeMs: FROZEN_LEASES * leaseMs };
    let left = STEPS / 3 + random.below(STEPS);
    // A process that stands still wakes up within its generation, and then writes.
    const isAwaited = (): boolean =>
      left > -STEPS_OF_SLEEP &&
      processes.some(({ state, frozenUntil }) => state === "alive" && frozenUntil > world.now);
    for (; (left > 0 || isAwaited()) && disturbed < until; left--) {
      if (!(await world.step())) break;
      disturbed++;
      disturb({ world, faults, processes, machines: [machine, ...machines] }, weather);
      // A killed process may be started again.
      const [dead] = processes.slice(-2).filter(({ state }) => state === "dead");
      if (dead !== undefined && random.chance(0.03)) bear(dead.machine);
    }
    for (const process of processes) world.kill(process);
  }
  await finish(join("end", machines[0] as Machine, { faults: CALM, leaseMs: LEASE_MS }), base);
  const faults = [...promised.faults, ...(await during(world, faultsIn(base, SESSIONS, promised)))];
  for (const line of await during(world, shape(base))) world.note(line);
  return { seed, hash: world.hash, faults, trace: world.trace, disturbed };
}

/** Waits for work on the database while nothing else happens. */
export async function during<T>(world: World, work: Promise<T>): Promise<T> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await world.settle();
  return await done;
}

/** The content of every log. */
async function shape(store: Store): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const sessionId of SESSIONS) {
    const { events } = await store.read(sessionId);
    lines.push(...events.map(({ id, type, recordedAt }) => `${sessionId} ${id} ${type} ${recordedAt}`));
  }
  return lines;
}

function pause({ world, process }: Member, ms: number): Promise<void> {
  return new Promise((resolve) => void world.setTimer(process, resolve, ms, "once"));
}

function begin(member: Member): void {
  for (const sessionId of SESSIONS) {
    void work(member, sessionId);
    void follow(member, sessionId);
  }
}

/** Works in a session. Every refusal is expected here; the promises are checked at the end. */
async function work(member: Member, sessionId: string): Promise<void> {
  const { world, worker, store, promised, leaseMs } = member;
  const { sessions } = worker;
  const { random } = world;
  const agent = scripted(member);
  for (let n = 0; ; n++) {
    const runId = `${member.process.name}/${sessionId}/${n}`;
    try {
      if (random.chance(0.25)) await wakeAndRetry(member, sessionId, agent);
      else if (random.chance(0.3)) {
        await sessions
          .startSession(store, { sessionId: `session of ${runId}` })
          .catch(newIdTaken(member, runId));
        // A caller without a run id could not find the run again.
        const started = await sessions
          .startRun(store, sessionId, `input of ${runId}`, random.chance(0.3) ? { runId } : {})
          .catch(newIdTaken(member, runId));
        promised.runs.set(started.runId, "started");
        // The run is cancelled about when it begins.
        if (random.chance(0.3)) void cancel(member, started.runId);
        if (random.chance(0.6)) await sessions.executeRun(store, agent, started.runId, { leaseMs });
      } else {
        const { status } = await sessions
          .runOnce(store, agent, `input of ${runId}`, { sessionId, runId, leaseMs })
          .catch(newIdTaken(member, runId));
        promised.runs.set(runId, status);
      }
      if (random.chance(0.15)) await cancelAny(member, sessionId);
    } catch (error) {
      refusal(member, error);
    }
    await pause(member, random.below(2_000));
  }
}

/**
 * A new id can only be taken by an earlier attempt of the same call whose answer was lost, so a conflict is a fault.
 */
function newIdTaken({ worker, promised }: Member, runId: string): (error: unknown) => never {
  return (error) => {
    if (worker.model.isContinuoError(error, "conflict")) promised.faults.push(`${runId}: ${error.message}`);
    throw error;
  };
}

/** Reports a fault for an error without a code, because a refusal has one. */
function refusal({ worker, promised, process }: Member, error: unknown): void {
  if (!worker.model.isContinuoError(error)) promised.faults.push(`${process.name}: ${String(error)}`);
}

async function wakeAndRetry(
  { worker, store, promised, leaseMs }: Member,
  sessionId: string,
  agent: Agent,
): Promise<void> {
  const { sessions } = worker;
  const { unprocessed } = await sessions.wake(store, sessionId, { leaseMs });
  const [first] = unprocessed;
  if (first === undefined) return;
  const run = await sessions.startRun(store, sessionId, first.input, { retryOf: first.runId });
  promised.runs.set(run.runId, "started");
  await sessions.executeRun(store, agent, run.runId, { leaseMs });
}

async function cancel(member: Member, runId: string): Promise<void> {
  const { world, worker, store } = member;
  await pause(member, world.random.below(BEGINNING_MS));
  await worker.sessions.cancelRun(store, runId).catch((error: unknown) => refusal(member, error));
}

async function cancelAny({ world, worker, store }: Member, sessionId: string): Promise<void> {
  const { items } = await store.listRuns({ sessionId, status: ["pending", "running"] });
  const run: Run | undefined = items.length === 0 ? undefined : world.random.pick(items);
  if (run !== undefined) await worker.sessions.cancelRun(store, run.runId);
}

async function follow(member: Member, sessionId: string): Promise<void> {
  const { store, promised } = member;
  const seen = { sessionId, sequences: [] as number[] };
  promised.seen.push(seen);
  for (;;) {
    try {
      for await (const { sequence } of store.tail(sessionId, { after: seen.sequences.at(-1) ?? 0 }))
        seen.sequences.push(sequence);
    } catch {
      // The store was away; the reader continues from its last event.
    }
    await pause(member, 500);
  }
}

/** Sends some messages one after another. Sometimes the agent fails, or its process stands still. */
function scripted(member: Member, { longestMs, sleep }: Manner = TALKING): Agent {
  const { world, process, promised, leaseMs } = member;
  return {
    name: "scripted",
    execute: async (request, { onEvent, signal }: ExecuteOptions): Promise<AgentResult> => {
      const { random } = world;
      const { runId } = request.run;
      const said: string[] = [];
      promised.said.set(runId, said);
      const count = random.below(7);
      for (let n = 0; n < count; n++) {
        await pause(member, random.below(longestMs));
        signal.throwIfAborted();
        const text = `${runId} says ${n}`;
        said.push(text);
        const stored = onEvent({ type: "message", content: [{ type: "text", text }] });
        // The message is in flight, and arrives when another process may have the session.
        if (random.chance(sleep)) world.freeze(process, leaseMs + random.below(leaseMs));
        await stored;
      }
      if (random.chance(0.1)) throw new Error("the scripted agent failed");
      return { stopReason: "end_turn" };
    },
  };
}

/** However a session was left, a new input must be answered, and no process may hold the session afterwards. */
async function sayLast(member: Member, sessionId: string): Promise<void> {
  const { worker, store, promised } = member;
  const agent: Agent = { name: "scripted", execute: async () => ({ stopReason: "end_turn" }) };
  try {
    const { status } = await worker.sessions.runOnce(store, agent, "the last input", { sessionId });
    if (status !== "completed") promised.faults.push(`the last run of ${sessionId} is ${status}`);
    const held = await store.getLease(`session/${sessionId}`);
    if (held !== null) promised.faults.push(`${sessionId} is held after its last run`);
  } catch (error) {
    promised.faults.push(`the last run of ${sessionId} is refused: ${String(error)}`);
  }
}

/** After the disturbances, a process wakes every session and repeats every input, until none is left. */
async function finish(member: Member, base: Store): Promise<void> {
  const { world, process, worker, store, promised } = member;
  let state: "working" | "done" = "working";
  for (const sessionId of SESSIONS) void follow(member, sessionId);
  const readers = promised.seen.slice(-SESSIONS.length);
  void (async () => {
    for (const sessionId of SESSIONS) {
      for (let left = true; left; ) {
        try {
          const { heldBy, unprocessed } = await worker.sessions.wake(store, sessionId);
          const { items } = await store.listRuns({ sessionId, status: ["pending", "running"] });
          // An input behind an abandoned run would check its turn again and again.
          if (items.length === 0 && unprocessed.length > 0) {
            await wakeAndRetry(member, sessionId, scripted(member, LAST_WORDS));
          }
          left = heldBy !== null || unprocessed.length > 0 || items.length > 0;
        } catch (error) {
          refusal(member, error);
        }
        await pause(member, 5_000);
      }
      await sayLast(member, sessionId);
    }
    state = "done";
  })();
  if (!(await runUntil(world, () => state === "done", MAX_STEPS))) {
    promised.faults.push("what is left does not end");
    return;
  }
  const ends = new Map<string, number>();
  for (const sessionId of SESSIONS) ends.set(sessionId, await during(world, base.latestSequence(sessionId)));
  const late = (): typeof readers =>
    readers.filter(({ sessionId, sequences }) => (sequences.at(-1) ?? 0) < (ends.get(sessionId) ?? 0));
  await runUntil(world, () => late().length === 0, LAST_STEPS);
  world.kill(process);
  for (const { sessionId } of late()) promised.faults.push(`a reader of ${sessionId} heard no end`);
}
