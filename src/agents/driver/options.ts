/** What every driver is given: whose home, which program, which environment, which limits. */

import { ContinuoError } from "../../model/index.ts";
import { environmentOf, findProgram } from "../process/index.ts";
import type { AgentReader, FoundSession, Places } from "../reader/index.ts";

export interface DriverOptions {
  /** Whose sessions, settings and search path the agent gets. */
  readonly places: Places;
  /** A program and its first arguments; the agent's own name on the search path where none is given. */
  readonly command?: readonly string[];
  /** Beside what an agent inherits; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly model?: string;
  /** Reads the agent's sessions from disk; left out for an agent whose files nobody here reads. */
  readonly reader?: AgentReader;
  /** Called before the agent opens a session that is there: some agents delete what they open. */
  readonly beforeResume?: (
    found: FoundSession,
    options: { readonly signal?: AbortSignal | undefined },
  ) => Promise<void>;
  readonly limits?: Partial<DriverLimits>;
}

/** Milliseconds; each may be `Infinity`. */
export interface DriverLimits {
  /** From the start of the program to its first answer. */
  readonly startMs: number;
  /** Until a session is begun, loaded, resumed or forked. */
  readonly openMs: number;
  /** Until any other question is answered. */
  readonly callMs: number;
  /** For how long an agent may say nothing in the middle of a turn. */
  readonly silenceMs: number;
  /** Until a turn that was cancelled ends; the agent is ended then. */
  readonly cancelMs: number;
}

export const DRIVER_LIMITS: DriverLimits = {
  startMs: 60_000,
  openMs: 120_000,
  callMs: 60_000,
  // A tool may work for long, and not every agent tells that it does.
  silenceMs: 60 * 60_000,
  cancelMs: 15_000,
};

export function limitsOf({ limits = {} }: DriverOptions): DriverLimits {
  return { ...DRIVER_LIMITS, ...limits };
}

/** The environment of the agent's program. */
export function driverEnvironment({ places, env }: DriverOptions): Record<string, string> {
  return environmentOf({ ...places.env, HOME: places.home }, env);
}

export interface ProgramName {
  /** The agent, as a person calls it. */
  readonly agent: string;
  /** What is looked for where no command is given. */
  readonly name: string;
  /** The command that installs it, where we know one. */
  readonly install?: string;
}

/** The command with its program's path. Errors: `agent_missing`. */
export function commandOf(options: DriverOptions, { agent, name, install }: ProgramName): readonly string[] {
  const [program = name, ...args] = options.command ?? [];
  const { PATH = "" } = driverEnvironment(options);
  const path = findProgram(program, PATH, options.places.home);
  if (path !== null) return [path, ...args];
  throw new ContinuoError("agent_missing", `${agent} is not installed: there is no program ${program}.`, {
    hint: install === undefined ? "Name its program in the configuration." : `Install it: ${install}`,
    details: { agent, program },
  });
}
