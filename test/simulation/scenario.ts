/** The parts that all simulations share: a database, generations of processes that are disturbed, and a calm end. */

import type { Store } from "@continuo/core/model";
import { CALM, type Faults } from "./network.ts";
import type { Programs } from "./programs.ts";
import { surround } from "./surroundings.ts";
import type { Machine, SimulatedProcess, World } from "./world.ts";

export interface Outcome {
  readonly seed: number;
  /** The hash of the trace, which is the same for the same seed. */
  readonly hash: string;
  /** The broken promises, as sentences. */
  readonly faults: readonly string[];
  readonly trace: readonly string[];
  /** The number of disturbed steps. */
  readonly disturbed: number;
}

export interface SimulationOptions {
  readonly programs: Programs;
  readonly generations: number;
  /** The step after which nothing is disturbed and nothing new begins, in the search for the shortest failure. */
  readonly until?: number | undefined;
}

export type Simulate = (seed: number, options: SimulationOptions) => Promise<Outcome>;

export function createMachine(name: string): Machine {
  return { name, wallOffsetMs: 0, boot: 1 };
}

/** Opens one database for all machines, with its own clock. */
export async function openDatabase(
  world: World,
  { database }: Pick<Programs, "database">,
): Promise<{ readonly store: Store; readonly machine: Machine }> {
  const machine = createMachine("database");
  const process = world.begin("database", machine);
  const { sqlite, store } = database(surround(world, process));
  const opened = sqlite.openSqlite(undefined, {
    workspaceId: "simulated",
    migrate: "refused",
    now: () => world.now + machine.wallOffsetMs,
    leaseNow: () => world.now,
  });
  await world.settle();
  return { store: store.createStore(await opened), machine };
}

export interface Disturbance {
  readonly world: World;
  readonly faults: Faults;
  /** The processes of this generation. */
  readonly processes: readonly SimulatedProcess[];
  readonly machines: readonly Machine[];
}

export function usualFaults(): Faults {
  return { ...CALM, busy: 0.02, away: 0.02, lost: 0.05 };
}

/** The probability of each disturbance in one step, and its longest duration. */
export interface Weather {
  readonly kill: number;
  readonly freeze: number;
  readonly freezeMs: number;
  readonly away: number;
  readonly awayMs: number;
  readonly clock: number;
}

/** Sometimes kills or stops a process, sets a clock, or makes the database unavailable. */
export function disturb({ world, faults, processes, machines }: Disturbance, weather: Weather): void {
  const { random } = world;
  const { kill, freeze, freezeMs, away, awayMs, clock } = weather;
  let happened = random.below(1_000_000) / 1_000_000;
  const isNow = (likelihood: number): boolean => {
    happened -= likelihood;
    return happened < 0 && happened >= -likelihood;
  };
  if (isNow(kill)) world.kill(random.pick(processes));
  else if (isNow(freeze)) world.freeze(random.pick(processes), random.below(freezeMs));
  else if (isNow(away)) {
    faults.awayUntil = world.now + random.below(awayMs);
    world.note(`${world.elapsedMs} the database is away until ${faults.awayUntil}`);
  } else if (isNow(clock)) {
    const span = random.pick([2_000, 90_000, 7_200_000]);
    world.setClock(random.pick(machines), random.below(2 * span) - span);
  }
}

/**
 * Resolves with true when `isDone` returns true, and with false when nothing can happen any more, or after too many
 * steps.
 */
export async function runUntil(world: World, isDone: () => boolean, mostSteps: number): Promise<boolean> {
  for (let steps = 0; steps < mostSteps; steps++) {
    if (isDone()) return true;
    if (!(await world.step())) break;
  }
  await world.settle();
  return isDone();
}
