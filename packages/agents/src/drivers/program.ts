/** The program of an agent: its path, and the facts that are known without starting it. */

import { isAgentName, isContinuoError, type SessionCapabilities } from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import { pick } from "@continuo/native";

import {
  commandOf,
  type DriverOptions,
  type ProgramName,
  recallCapabilities,
  rememberCapabilities,
} from "./link/index.ts";
import { NATIVE_DRIVERS } from "./native-drivers.ts";
import { assertOpenAgentOptions, OPEN_AGENT_OPTIONS, type OpenAgentOptions } from "./open-agent.ts";
import { versionBeside } from "./process/index.ts";

export interface AgentProgram {
  readonly agent: string;
  /** The name that people use. */
  readonly label: string;
  /** The transport: the agent's own protocol, or ACP. */
  readonly transport: "native" | "acp";
  /** The version of ACP that is requested; only for the transport `acp`. */
  readonly protocol?: 1 | 2;
  /** The name of the program to find. */
  readonly program: string;
  /** The command, with the program's path; `null` if it is not installed. */
  readonly command: readonly string[] | null;
  /** The command that installs it; `null` if it is not known. */
  readonly install: string | null;
  readonly version: string | null;
  /** `package`: the `package.json` next to it; `path`: a part of its path; `agent`: its own earlier report. */
  readonly versionFrom: "package" | "path" | "agent" | null;
  /** The capabilities that it once reported; `null` if it was not asked yet. */
  readonly capabilities: SessionCapabilities | null;
}

/**
 * Finds the program that `openAgent` would start. Nothing is started here, because an agent writes into its home at
 * each start.
 */
export async function findAgentProgram(name: string, options: OpenAgentOptions = {}): Promise<AgentProgram> {
  assertOpenAgentOptions("findAgentProgram", options, OPEN_AGENT_OPTIONS);
  const places = options.places ?? placesOfThisUser();
  const driving: DriverOptions = { ...pick(options, "command", "env"), places };
  const native = isAgentName(name) && options.transport !== "acp" ? NATIVE_DRIVERS[name] : undefined;
  const { label, install, program, toCommand } =
    native === undefined ? await acpProgram(name, driving) : nativeProgram((await native()).program, driving);
  const command = orMissing(toCommand);
  const { protocol = 1 } = options;
  const choice: TransportChoice =
    native === undefined ? { transport: "acp", protocol } : { transport: "native" };
  const known = command === null ? null : recallCapabilities(places, await keyOf(command, choice));
  const version = command === null || typeof known?.version === "string" ? null : versionBeside(command);
  return {
    agent: name,
    label,
    ...choice,
    program,
    command,
    install: install ?? null,
    version: known?.version ?? version?.version ?? null,
    versionFrom: version?.from ?? (typeof known?.version === "string" ? "agent" : null),
    capabilities: known === null ? null : withDisk(name, known.capabilities),
  };
}

/** The last session can also be continued if Continuo reads the agent's sessions; the driver does not report this. */
function withDisk(name: string, told: SessionCapabilities): SessionCapabilities {
  const isKnown = isAgentName(name) && (told.canLoad || told.canResume);
  return { ...told, canContinueLast: told.canContinueLast || isKnown };
}

/** Stores for one home the capabilities that an agent reported in another one. */
export async function keepCapabilities(
  { command, ...choice }: AgentProgram,
  { from, to }: { readonly from: Places; readonly to: Places },
): Promise<void> {
  if (command === null) return;
  const key = await keyOf(command, choice);
  const known = recallCapabilities(from, key);
  if (known !== null) await rememberCapabilities(to, key, async () => known);
}

type TransportChoice = Pick<AgentProgram, "transport" | "protocol">;

/** Drivers of other protocols store the capabilities under the command. */
async function keyOf(
  command: readonly string[],
  { transport, protocol }: TransportChoice,
): Promise<readonly string[]> {
  if (transport === "native") return command;
  const { capabilityKey } = await import("./acp/index.ts");
  return capabilityKey(command, protocol);
}

interface ProgramDescription {
  readonly label: string;
  readonly install: string | undefined;
  readonly program: string;
  /** Errors: `agent_missing`. */
  readonly toCommand: () => readonly string[];
}

function nativeProgram(program: ProgramName, options: DriverOptions): ProgramDescription {
  return {
    label: program.agent,
    install: program.install,
    program: options.command?.[0] ?? program.name,
    toCommand: () => commandOf(options, program),
  };
}

async function acpProgram(name: string, options: DriverOptions): Promise<ProgramDescription> {
  const { acpCommand, configuredProgram, knownProgram } = await import("./acp/index.ts");
  const known = isAgentName(name) ? knownProgram(name) : undefined;
  const program = known ?? configuredProgram(name, options.command ?? [name]);
  return {
    label: program.label,
    install: program.install,
    program: options.command?.[0] ?? program.program,
    toCommand: () => acpCommand(program, options),
  };
}

function orMissing(toCommand: () => readonly string[]): readonly string[] | null {
  try {
    return toCommand();
  } catch (error) {
    if (isContinuoError(error, "agent_missing")) return null;
    throw error;
  }
}
