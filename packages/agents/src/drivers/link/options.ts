/** Options of every driver: the home, the program, the environment and the limits. */

import { basename } from "node:path";
import { ContinuoError, type Restriction } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import type { AgentReader } from "@continuo/native/kit";
import { environmentOf, findProgram, heldBackNames } from "../process/index.ts";
import { type EnvironmentRule, type FolderTrust, trustIn } from "../trust/index.ts";

export interface DriverOptions {
  /** The home and environment whose sessions, settings and search path the agent uses. */
  readonly places: Places;
  /** A program and its first arguments; by default the agent's own name, on the search path. */
  readonly command?: readonly string[];
  /** Variables in addition to those that the agent inherits; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly model?: string;
  /** Reads the agent's sessions from disk; left out for an agent whose files Continuo cannot read. */
  readonly reader?: AgentReader;
  /**
   * Called when the driver waits before the agent opens a session: for at most `waitMs` for another process, which
   * `holder` describes, and again with 0 when that wait is over; without a `holder`, exactly so long and on purpose.
   */
  readonly onWait?: (waitMs: number, holder?: string) => void;
  readonly limits?: Partial<DriverLimits>;
  /** Milliseconds to wait for another process of Continuo that has the session open and may close it; 0 by default. */
  readonly writerWaitMs?: number;
  /**
   * Returns true if the person trusts a folder (an absolute path without symbolic links). Without it only the
   * agent's own record counts.
   */
  readonly isTrusted?: (folder: string) => boolean;
  /** `pass`: the agent inherits every variable; `deny`: only those of a list. Left out: `pass` in a trusted folder. */
  readonly environment?: EnvironmentRule;
}

/** Milliseconds; each may be `Infinity`. */
export interface DriverLimits {
  /** The time from the start of the program to its first answer. */
  readonly startMs: number;
  /** The time until a session is begun, loaded, resumed or forked. */
  readonly openMs: number;
  /** The time until any other call is answered. */
  readonly callMs: number;
  /** The longest silence of an agent during a turn. */
  readonly silenceMs: number;
  /** The time until a cancelled turn ends; after that, the program is ended. */
  readonly cancelMs: number;
}

const DRIVER_LIMITS: DriverLimits = {
  startMs: 60_000,
  openMs: 120_000,
  callMs: 60_000,
  // A tool may work for long, and some agents do not report it.
  silenceMs: 60 * 60_000,
  cancelMs: 15_000,
};

export function limitsOf({ limits = {} }: DriverOptions): DriverLimits {
  return { ...DRIVER_LIMITS, ...limits };
}

/** Decides if the agent may use the configuration of the project in a folder. */
export function trustOf(agent: string, cwd: string, options: DriverOptions): FolderTrust {
  const { places, isTrusted } = options;
  return trustIn({ agent, cwd, places: { home: places.home, env: driverEnvironment(options) }, isTrusted });
}

/**
 * The environment of the agent's program. A program that only answers questions is in no folder, and gets the variables
 * of the list.
 */
export function driverEnvironment(options: DriverOptions, trust?: FolderTrust): Record<string, string> {
  const { places, env, environment } = options;
  const isPassed = trust !== undefined && (environment ?? ruleFor(trust)) === "pass";
  return environmentOf({ ...places.env, HOME: places.home }, env, isPassed ? "all" : "listed");
}

/**
 * Returns the files and variables that the agent does not receive in that folder; `null` if it receives all.
 */
export function restrictionOf(
  { places, env, environment }: DriverOptions,
  trust: FolderTrust,
): Restriction | null {
  const { folder, by, leftOut: files } = trust;
  const variables = (environment ?? ruleFor(trust)) === "pass" ? [] : heldBackNames(places.env, env);
  if (files.length === 0 && variables.length === 0) return null;
  return { folder, isTrusted: by !== null, files, variables };
}

function ruleFor({ by }: FolderTrust): EnvironmentRule {
  return by === null ? "deny" : "pass";
}

export interface ProgramName {
  /** The name of the agent for people. */
  readonly agent: string;
  /** The name of the program to find if no command is given. */
  readonly name: string;
  /** The command that installs it, if one is known. */
  readonly install?: string;
}

/** The command with its program's path. Errors: `agent_missing`. */
export function commandOf(options: DriverOptions, { agent, name, install }: ProgramName): readonly string[] {
  const [program = name, ...args] = options.command ?? [];
  const { PATH = "" } = driverEnvironment(options);
  const path = findProgram(program, PATH, options.places.home);
  if (path !== null) return [path, ...args];
  // Readers of a session may see the message: they must not see the folders of this machine.
  throw new ContinuoError(
    "agent_missing",
    `${agent} is not installed: there is no program ${basename(program)}`,
    {
      ...hintOf(program, install),
      details: { agent, program },
    },
  );
}

interface MissingHint {
  readonly hint: string;
  readonly hintFor?: "program";
}

function hintOf(program: string, install: string | undefined): MissingHint {
  if (program.includes("/")) {
    return { hint: `Check that ${program} exists and can be started.`, hintFor: "program" };
  }
  return { hint: install === undefined ? "Name its program in continuo.yaml." : `Install it: ${install}` };
}
