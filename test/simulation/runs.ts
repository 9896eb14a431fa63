/** Processes of two machines that share sessions, and what must be true of their runs afterwards. */

import type { Agent, AgentResult, ExecuteOptions, Run, Store } from "@continuo/core/model";
import { CALM, type Faults, storeOver } from "./network.ts";
import type { Exports } from "./programs.ts";
import { faultsIn, type Promised } from "./run-promises.ts";
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
/** A world in which so much happens without an end hangs. */
const MAX_STEPS = 40_000;
/** The longest pauses of an agent between two messages, and in the end. */
const WORDS_MS = 20_000;
const LAST_WORDS_MS = 200;
/** More than the events of all logs. */
const LAST_STEPS = 2_000;

const WEATHER: Weather = {
  kill: 0.003,
  freeze: 0.01,
  freezeMs: 90_000,
  away: 0.003,
  awayMs: 30_000,
  clock: 0.004,
};

interface Member {
  readonly world: World;
  readonly process: SimulatedProcess;
  readonly worker: Exports["worker"];
  readonly store: Store;
  readonly promised: Promised;
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
  const promised: Promised = { runs: new Map(), said: new Map(), seen: [], faults: [] };
  const join = (name: string, on: Machine, faults: Faults): Member => {
    const process = world.begin(name, on);
    const worker = programs.worker(surround(world, process));
    const store = storeOver(base, { world, process, model: worker.model, faults });
    return { world, process, worker, store, promised };
  };
  let disturbed = 0;
  for (let generation = 0; generation < generations && disturbed < until; generation++) {
    const { random } = world;
    const faults = usualFaults();
    // Two on one machine, or on two: a process sees that another one of its machine is gone.
    const members = [0, 1].map((n) => {
      return join(`${generation}.${n}`, n === 0 ? (machines[0] as Machine) : random.pick(machines), faults);
    });
    for (const member of members) begin(member);
    const processes = members.map(({ process }) => process);
    for (let left = STEPS / 3 + random.below(STEPS); left > 0 && disturbed < until; left--) {
      if (!(await world.step())) break;
      disturbed++;
      disturb({ world, faults, processes, machines: [machine, ...machines] }, WEATHER);
    }
    for (const process of processes) world.kill(process);
  }
  await finish(join("end", machines[0] as Machine, CALM), base);
  const faults = [...promised.faults, ...(await during(world, faultsIn(base, SESSIONS, promised)))];
  for (const line of await during(world, shape(base))) world.note(line);
  return { seed, hash: world.hash, faults, trace: world.trace, disturbed };
}

/** Waits for work on the database, while nothing else happens. */
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

/** Whatever is refused is expected; what must hold is looked at in the end. */
async function work(member: Member, sessionId: string): Promise<void> {
  const { world, worker, store, promised } = member;
  const { sessions, model } = worker;
  const { random } = world;
  const agent = scripted(member);
  for (let n = 0; ; n++) {
    const runId = `${member.process.name}/${sessionId}/${n}`;
    try {
      if (random.chance(0.25)) await wakeAndRetry(member, sessionId, agent);
      else if (random.chance(0.2)) {
        await sessions.startRun(store, sessionId, `input of ${runId}`, { runId });
        promised.runs.set(runId, "started");
        if (random.chance(0.5)) await sessions.executeRun(store, agent, runId);
      } else {
        const { status } = await sessions
          .runOnce(store, agent, `input of ${runId}`, { sessionId, runId })
          .catch((error: unknown) => {
            // The id is new: nobody else can have taken it.
            if (model.isContinuoError(error, "conflict")) promised.faults.push(`${runId}: ${error.message}`);
            throw error;
          });
        promised.runs.set(runId, status);
      }
      if (random.chance(0.15)) await cancelAny(member, sessionId);
    } catch (error) {
      refusal(member, error);
    }
    await pause(member, random.below(2_000));
  }
}

/** Only an error with a code is a refusal. */
function refusal({ worker, promised, process }: Member, error: unknown): void {
  if (!worker.model.isContinuoError(error)) promised.faults.push(`${process.name}: ${String(error)}`);
}

async function wakeAndRetry(
  { worker, store, promised }: Member,
  sessionId: string,
  agent: Agent,
): Promise<void> {
  const { sessions } = worker;
  const { unprocessed } = await sessions.wake(store, sessionId);
  const [first] = unprocessed;
  if (first === undefined) return;
  const run = await sessions.startRun(store, sessionId, first.input, { retryOf: first.runId });
  promised.runs.set(run.runId, "started");
  await sessions.executeRun(store, agent, run.runId);
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
      // The store was away; the reader goes on from where it was.
    }
    await pause(member, 500);
  }
}

/** Says some words one after the other, and now and then fails, or does not end before it is cancelled. */
function scripted(member: Member, longestMs = WORDS_MS): Agent {
  const { world, promised } = member;
  return {
    name: "scripted",
    execute: async (request, { onEvent, signal }: ExecuteOptions): Promise<AgentResult> => {
      const { random } = world;
      const { runId } = request.run;
      const said: string[] = [];
      promised.said.set(runId, said);
      const count = random.below(4);
      for (let n = 0; n < count; n++) {
        await pause(member, random.below(longestMs));
        signal.throwIfAborted();
        const text = `${runId} says ${n}`;
        said.push(text);
        await onEvent({ type: "message", content: [{ type: "text", text }] });
      }
      if (random.chance(0.1)) throw new Error("the scripted agent failed");
      return { stopReason: "end_turn" };
    },
  };
}

/** However a session was left, a new input is answered in it, and nobody holds the session afterwards. */
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

/** Nothing disturbs any more: a process wakes every session and gives every input again, until nothing is left. */
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
          // An input that waited behind a run of nobody would look for its turn again and again.
          if (items.length === 0 && unprocessed.length > 0) {
            await wakeAndRetry(member, sessionId, scripted(member, LAST_WORDS_MS));
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
