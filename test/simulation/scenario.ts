/** Processes that share sessions for some generations, are killed, frozen and cut off, and what must be true afterwards. */

import type { Agent, AgentResult, ExecuteOptions, Run, Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import type { Graph } from "./graphs.ts";
import { faultsIn, type Promised } from "./invariants.ts";
import { type Faults, storeOver } from "./network.ts";
import { type SimulatedProcess, World } from "./world.ts";

export interface Outcome {
  readonly seed: number;
  /** The hash of the trace: the same for the same seed. */
  readonly hash: string;
  readonly faults: readonly string[];
  readonly trace: readonly string[];
}

const SESSIONS = ["one", "two"] as const;
const PROCESSES = 2;
const STEPS = 900;
/** A world in which so much happens without an end hangs. */
const MAX_STEPS = 30_000;
/** More than the events of all logs. */
const LAST_STEPS = 2_000;
const CALM: Faults = { busy: 0, away: 0, lost: 0, awayUntil: 0 };

interface Member {
  readonly world: World;
  readonly process: SimulatedProcess;
  readonly graph: Graph;
  readonly store: Store;
  readonly promised: Promised;
}

/** @param graphs one for each process of each generation, and one for the end */
export async function simulate(
  seed: number,
  { graphs, generations }: { readonly graphs: readonly Graph[]; readonly generations: number },
): Promise<Outcome> {
  const world = new World(seed);
  world.install();
  const base = await openStore("memory:", { now: () => world.now });
  for (const sessionId of SESSIONS) await base.createSession({ sessionId });
  const promised: Promised = { runs: new Map(), said: new Map(), seen: [], faults: [] };
  let next = 0;
  const join = (name: string, faults: Faults): Member => {
    const graph = graphs[next++ % graphs.length] as Graph;
    const process: SimulatedProcess = { name, state: "alive", frozenUntil: 0 };
    return { world, process, graph, store: storeOver(base, { world, process, graph, faults }), promised };
  };
  for (let generation = 0; generation < generations; generation++) {
    const { random } = world;
    const faults: Faults = { busy: 0.02, away: 0.02, lost: 0.05, awayUntil: 0 };
    const members = Array.from({ length: PROCESSES }, (_, n) => join(`${generation}.${n}`, faults));
    for (const member of members) begin(member);
    for (let left = STEPS / 3 + random.below(STEPS); left > 0 && (await world.step()); left--)
      disturb(world, members, faults);
    for (const { process } of members) world.kill(process);
  }
  const last = join("end", { ...CALM });
  await finish(last, base);
  const faults = [...promised.faults, ...(await faultsIn(base, SESSIONS, promised))];
  for (const line of await shape(base)) world.note(line);
  return { seed, hash: world.hash, faults, trace: world.trace };
}

/** The content of every log, without what chance made of it. */
async function shape(store: Store): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const sessionId of SESSIONS) {
    const { events } = await store.read(sessionId);
    lines.push(...events.map(({ type, recordedAt }) => `${sessionId} ${type} ${recordedAt}`));
  }
  return lines;
}

function disturb(world: World, members: readonly Member[], faults: Faults): void {
  const { random } = world;
  const { process } = random.pick(members);
  if (random.chance(0.001)) world.kill(process);
  if (random.chance(0.01)) process.frozenUntil = world.now + random.below(120_000);
  if (random.chance(0.002)) faults.awayUntil = world.now + random.below(30_000);
}

function begin(member: Member): void {
  const { world, process } = member;
  world.within(process, () => {
    for (const sessionId of SESSIONS) {
      void work(member, sessionId);
      void follow(member, sessionId);
    }
  });
}

/** Whatever is refused is expected; what must hold is looked at in the end. */
async function work(member: Member, sessionId: string): Promise<void> {
  const { world, graph, store } = member;
  const { sessions } = graph;
  const { random } = world;
  const agent = scripted(member);
  for (let n = 0; ; n++) {
    const runId = `${member.process.name}/${sessionId}/${n}`;
    try {
      if (random.chance(0.25)) await wakeAndRetry(member, sessionId, agent);
      else if (random.chance(0.2)) {
        await sessions.startRun(store, sessionId, `input of ${runId}`, { runId });
        member.promised.runs.set(runId, "started");
        if (random.chance(0.5)) await sessions.executeRun(store, agent, runId);
      } else {
        const { status } = await sessions
          .runOnce(store, agent, `input of ${runId}`, { sessionId, runId })
          .catch((error: unknown) => {
            // The id is new: nobody else can have taken it.
            if (graph.model.isContinuoError(error, "conflict"))
              member.promised.faults.push(`${runId}: ${error.message}`);
            throw error;
          });
        member.promised.runs.set(runId, status);
      }
      if (random.chance(0.15)) await cancelAny(member, sessionId);
    } catch (error) {
      refusal(member, error);
    }
    await new Promise((resolve) => setTimeout(resolve, random.below(2_000)));
  }
}

/** Only an error with a code is a refusal. */
function refusal({ graph, promised, process }: Member, error: unknown): void {
  if (!graph.model.isContinuoError(error)) promised.faults.push(`${process.name}: ${String(error)}`);
}

async function wakeAndRetry(
  { graph, store, promised }: Member,
  sessionId: string,
  agent: Agent,
): Promise<void> {
  const { sessions } = graph;
  const { unprocessed } = await sessions.wake(store, sessionId);
  const [first] = unprocessed;
  if (first === undefined) return;
  const run = await sessions.startRun(store, sessionId, first.input, { retryOf: first.runId });
  promised.runs.set(run.runId, "started");
  await sessions.executeRun(store, agent, run.runId);
}

async function cancelAny({ world, graph, store }: Member, sessionId: string): Promise<void> {
  const { items } = await store.listRuns({ sessionId, status: ["pending", "running"] });
  const run: Run | undefined = items.length === 0 ? undefined : world.random.pick(items);
  if (run !== undefined) await graph.sessions.cancelRun(store, run.runId);
}

async function follow({ store, promised }: Member, sessionId: string): Promise<void> {
  const seen = { sessionId, sequences: [] as number[] };
  promised.seen.push(seen);
  for (;;) {
    try {
      for await (const { sequence } of store.tail(sessionId, { after: seen.sequences.at(-1) ?? 0 }))
        seen.sequences.push(sequence);
    } catch {
      // The store was away; the reader goes on from where it was.
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Says some words one after the other, and now and then fails, or does not end before it is cancelled. */
function scripted({ world, promised }: Member): Agent {
  return {
    name: "scripted",
    execute: async (request, { onEvent, signal }: ExecuteOptions): Promise<AgentResult> => {
      const { random } = world;
      const { runId } = request.run;
      const said: string[] = [];
      promised.said.set(runId, said);
      const count = random.below(4);
      for (let n = 0; n < count; n++) {
        await new Promise((resolve) => setTimeout(resolve, random.below(20_000)));
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

/** Nothing disturbs any more: a process wakes every session and gives every input again, until nothing is left. */
async function finish(member: Member, base: Store): Promise<void> {
  const { world, process, graph, store, promised } = member;
  let state: "working" | "done" = "working";
  world.within(process, () => {
    for (const sessionId of SESSIONS) void follow(member, sessionId);
    void (async () => {
      for (const sessionId of SESSIONS) {
        for (let left = true; left; ) {
          try {
            const { heldBy, unprocessed } = await graph.sessions.wake(store, sessionId);
            const [first] = unprocessed;
            if (first !== undefined) await wakeAndRetry(member, sessionId, scripted(member));
            const { items } = await store.listRuns({ sessionId, status: ["pending", "running"] });
            left = heldBy !== null || first !== undefined || items.length > 0;
          } catch (error) {
            refusal(member, error);
          }
          await new Promise((resolve) => setTimeout(resolve, 5_000));
        }
      }
      state = "done";
    })();
  });
  for (let steps = 0; state === "working"; steps++) {
    if (steps < MAX_STEPS && (await world.step())) continue;
    promised.faults.push("what is left does not end");
    return;
  }
  // The readers hear what came last.
  for (let steps = 0; steps < LAST_STEPS && (await world.step()); steps++);
  world.kill(process);
  const readers = promised.seen.slice(-SESSIONS.length);
  for (const { sessionId, sequences } of readers) {
    const latest = await base.latestSequence(sessionId);
    if (sequences.length !== latest) promised.faults.push(`a reader of ${sessionId} heard no end`);
  }
}
