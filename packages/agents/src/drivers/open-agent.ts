/** Finds the driver of an agent by the agent's name, and loads it at its first use. */

import {
  type AgentDriver,
  assertKnownOptions,
  ContinuoError,
  cancellable,
  isAgentName,
  type KnownOptions,
  type OpenConversation,
  present,
  type Restriction,
} from "@continuo/core/model";
import { placesOfThisUser } from "@continuo/files";
import { formatOf, pick, READABLE_AGENTS } from "@continuo/native";
import { type DriverLimits, type DriverOptions, restrictionOf, trustOf } from "./link/index.ts";
import { NATIVE_DRIVERS } from "./native-drivers.ts";

export interface OpenAgentOptions extends Partial<Omit<DriverOptions, "reader">> {
  /** `acp` drives Claude Code, Codex and pi through their adapters; by default their own protocols drive them. */
  readonly transport?: "native" | "acp";
  /** The version of ACP that is requested; 1 if none is given. */
  readonly protocol?: 1 | 2;
}

export const OPEN_AGENT_OPTIONS: KnownOptions<OpenAgentOptions> = {
  places: true,
  command: true,
  env: true,
  model: true,
  onWait: true,
  limits: true,
  writerWaitMs: true,
  isTrusted: true,
  environment: true,
  transport: true,
  protocol: true,
};

const LIMIT_OPTIONS: KnownOptions<DriverLimits> = {
  startMs: true,
  openMs: true,
  callMs: true,
  silenceMs: true,
  cancelMs: true,
};

/** `known` has those of `OPEN_AGENT_OPTIONS`, and may have others. Errors: `usage` for an unknown option. */
export function assertOpenAgentOptions(what: string, options: OpenAgentOptions, known: object): void {
  assertKnownOptions(what, options, known);
  assertKnownOptions("limits", options.limits ?? {}, LIMIT_OPTIONS);
}

/**
 * Returns the driver of an agent that Continuo knows, or of any other that speaks ACP and has a `command`. Nothing is
 * started yet.
 *
 * Errors: `usage` for an unknown option, and for an agent that Continuo does not know and that has no `command`.
 */
export async function openAgent(name: string, options: OpenAgentOptions = {}): Promise<AgentDriver> {
  assertOpenAgentOptions("openAgent", options, OPEN_AGENT_OPTIONS);
  const places = options.places ?? placesOfThisUser();
  const given = {
    ...pick(
      options,
      "command",
      "env",
      "model",
      "limits",
      "isTrusted",
      "environment",
      "onWait",
      "writerWaitMs",
    ),
    places,
  };
  return checkedDriver(await createDriver(name, given, options));
}

type GivenOptions = Omit<DriverOptions, "reader">;

async function createDriver(
  name: string,
  given: GivenOptions,
  options: OpenAgentOptions,
): Promise<AgentDriver> {
  if (!isAgentName(name)) {
    if (given.command === undefined) throw unknownAgent(name);
    const { configuredProgram, createAcpDriver } = await import("./acp/index.ts");
    return createAcpDriver(configuredProgram(name, given.command), {
      ...given,
      ...pick(options, "protocol"),
    });
  }
  const driving: DriverOptions = { ...given, reader: await formatOf(name) };
  const native = NATIVE_DRIVERS[name];
  if (native !== undefined && options.transport !== "acp") return (await native()).create(driving);
  const { configuredProgram, createAcpDriver, knownProgram } = await import("./acp/index.ts");
  const program = knownProgram(name) ?? configuredProgram(name, given.command ?? [name]);
  return createAcpDriver(program, { ...driving, ...pick(options, "protocol") });
}

export const OPEN_OPTIONS: KnownOptions<OpenConversation> = {
  cwd: true,
  resumeSessionId: true,
  continueLast: true,
  forkSessionId: true,
  wantHistory: true,
  resumeBy: true,
  continueBy: true,
  onMissing: true,
  readHistory: true,
  model: true,
  mode: true,
  effort: true,
  permissions: true,
  toolServers: true,
  editor: true,
  onPermission: true,
  signal: true,
};

/** Makes each driver refuse unknown options, and gives all drivers the same error for an aborted call. */
function checkedDriver(driver: AgentDriver): AgentDriver {
  return {
    ...driver,
    capabilities: async (call = {}) => {
      assertKnownOptions("capabilities", call, { signal: true, cwd: true });
      return await cancellable(call.signal, () => driver.capabilities(call));
    },
    listSessions: async (call) => {
      assertKnownOptions("listSessions", call, { signal: true, cwd: true, cursor: true });
      return await cancellable(call.signal, () => driver.listSessions(call));
    },
    open: async (opening) => {
      assertKnownOptions("open", opening, OPEN_OPTIONS);
      return await cancellable(opening.signal, () => driver.open(opening));
    },
    ...present({
      logIn: driver.logIn === undefined ? undefined : checkedLogIn(driver.logIn),
      logOut: driver.logOut === undefined ? undefined : checkedLogOut(driver.logOut),
    }),
  };
}

function checkedLogIn(logIn: NonNullable<AgentDriver["logIn"]>): NonNullable<AgentDriver["logIn"]> {
  return async (methodId, call = {}) => {
    assertKnownOptions("logIn", call, { signal: true });
    await cancellable(call.signal, () => logIn(methodId, call));
  };
}

function checkedLogOut(logOut: NonNullable<AgentDriver["logOut"]>): NonNullable<AgentDriver["logOut"]> {
  return async (call = {}) => {
    assertKnownOptions("logOut", call, { signal: true });
    await cancellable(call.signal, () => logOut(call));
  };
}

/** Returns the files and variables that the agent would not receive in a folder; nothing is started. */
export function restrictionIn(name: string, cwd: string, options: OpenAgentOptions = {}): Restriction | null {
  const driving = { ...options, places: options.places ?? placesOfThisUser() };
  return restrictionOf(driving, trustOf(name, cwd, driving));
}

function unknownAgent(name: string): ContinuoError {
  return new ContinuoError("usage", `there is no agent ${JSON.stringify(name)}`, {
    hint: `Choose one of ${READABLE_AGENTS.join(", ")}, or give the command of an ACP agent.`,
  });
}
