/** The agent of the conversation and its settings: the configuration, overridden by the flags. */

import { AGENT_NAMES, ContinuoError, isContinuoError, present, type ToolServer } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { pick } from "@continuo/native";
import {
  type AgentSettings,
  type AskTrust,
  assertRunnable,
  assertValid,
  type Configuration,
  createProjectTrust,
  type ProjectTrust,
  readConfiguration,
} from "../config/index.ts";
import { findProgram } from "../drivers/process/index.ts";
import type { TalkFlags } from "./flags.ts";

/**
 * Reads the settings together with the trust in the project, about which the person may be asked first. Errors: as
 * `readSettings`.
 */
export async function readTrustedSettings(
  places: PlacesAt,
  cwd: string,
  ask: AskTrust | undefined,
): Promise<{ readonly trust: ProjectTrust; readonly configuration: Configuration }> {
  const trust = createProjectTrust(places, ask);
  return { trust, configuration: await readSettings(places, cwd, trust) };
}

/** Errors: `invalid`, `untrusted`. */
export async function readSettings(
  places: PlacesAt,
  cwd: string,
  trust?: ProjectTrust,
): Promise<Configuration> {
  const options = { places, cwd, ...present({ isTrustedFile: trust?.isTrustedFile }) };
  let configuration = await readConfiguration(options);
  if (configuration.untrusted !== null && trust !== undefined) {
    await trust.settle(cwd);
    configuration = await readConfiguration(options);
  }
  // If the person answered no, the conversation continues without the settings that need trust.
  if (trust?.isRefused(cwd)) assertValid(configuration);
  else assertRunnable(configuration);
  return configuration;
}

/** The servers of the person and of the caller, whose server replaces one of the same name. Errors: as `readToolServers`. */
export async function toolServersOf(
  { flags: { mcp: file }, places, toolServers: given = [] }: ServerSources,
  { mcpServers: configured }: Configuration,
): Promise<readonly ToolServer[]> {
  if (file === undefined && Object.keys(configured).length === 0) return given;
  const { readToolServers } = await import("./tool-servers.ts");
  const replaced = new Set(given.map(({ name }) => name));
  return [...readToolServers({ configured, file, replaced }, places), ...given];
}

/** Checks the servers that `openTalk` will read, before anything starts. Errors: as `readToolServers`. */
export async function assertServersReadable(configuration: Configuration, places: PlacesAt): Promise<void> {
  await toolServersOf({ flags: {}, places }, configuration);
}

interface ServerSources {
  readonly flags: TalkFlags;
  readonly places: PlacesAt;
  /** The servers of the caller. */
  readonly toolServers?: readonly ToolServer[];
}

/** Errors: `not_found` for an unknown agent; the hint names the known ones. */
export function settingsOf({ agents }: Configuration, name: string, flags: TalkFlags): AgentSettings {
  const settings = agents[name];
  if (settings === undefined) {
    throw new ContinuoError("not_found", `there is no agent ${JSON.stringify(name)}`, {
      hint: `Choose one of ${Object.keys(agents).join(", ")}, or add another agent with its command to continuo.yaml.`,
      details: { agent: name },
    });
  }
  const { model, transport, onMissing, permissions } = flags;
  const context = pick(flags, "limit", "maxMessages", "maxChars", "maxTokensApprox");
  // The name of a model belongs to one agent, so it is not used for another agent later in the conversation.
  const isMeant = flags.agent === undefined || flags.agent === name;
  return {
    ...settings,
    ...(model === undefined || !isMeant ? {} : { model }),
    ...(transport === undefined || !isMeant ? {} : { transport }),
    session: { ...settings.session, ...present({ onMissing }) },
    permissions: { ...settings.permissions, ...present({ policy: permissions }) },
    context: { ...settings.context, ...context },
  };
}

/** Returns the agents whose program is installed, and those with an `endpoint`. Errors: as `readSettings`. */
export async function agentsAt(places: PlacesAt, cwd: string): Promise<readonly string[]> {
  return installedAgents(await readSettings(places, cwd), places);
}

export function installedAgents({ agents }: Configuration, places: PlacesAt): readonly string[] {
  const { PATH = "" } = places.env;
  return Object.entries(agents)
    .filter(
      ([name, { command, endpoint }]) =>
        endpoint !== undefined || findProgram(command ?? name, PATH, places.home) !== null,
    )
    .map(([name]) => name);
}

/** The agent that the configuration names, else the first one that is installed. Errors: `agent_missing`. */
export function defaultAgent({ agent, agents }: Configuration, places: PlacesAt): string {
  if (agent !== null) return agent;
  const { PATH = "" } = places.env;
  const first = AGENT_NAMES.find(
    (name) => findProgram(agents[name]?.command ?? name, PATH, places.home) !== null,
  );
  if (first !== undefined) return first;
  throw new ContinuoError("agent_missing", "none of Continuo's agents is installed", {
    hint: "Install one, or name another agent in continuo.yaml; see docs/configuration.md.",
  });
}

/**
 * Returns the agent of a new conversation. If the session will determine the agent, the result does not matter, and no
 * agent must be installed. Errors: `agent_missing`.
 */
export function firstAgent(
  { configuration, flags }: { readonly configuration: Configuration; readonly flags: TalkFlags },
  places: PlacesAt,
): string {
  try {
    return defaultAgent(configuration, places);
  } catch (error) {
    const isTold = flags.resume !== undefined || flags.fork !== undefined || flags.continue === true;
    if (isTold && isContinuoError(error, "agent_missing")) return "claude";
    throw error;
  }
}
