/** Decides whether one folder is trusted, before an agent is started in it. Writes nothing. */

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { AGENT_NAMES, type AgentName, ContinuoError, isAgentName, shellWord } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { agentOf } from "@continuo/native";

/** `pass`: the agent inherits every variable; `deny`: only those on the list. Trusted folders default to `pass`. */
export type EnvironmentRule = "pass" | "deny";

export interface FolderTrust {
  /** The path without symbolic links. */
  readonly folder: string;
  /** `person`: Continuo's record trusts the folder; `agent`: the agent's own record trusts it; `null`: neither does. */
  readonly by: "person" | "agent" | null;
  /** Paths of the project's configuration that the agent does not get. Empty in a trusted folder. */
  readonly leftOut: readonly string[];
}

export interface TrustQuestion {
  readonly agent: string;
  readonly cwd: string;
  /** The home and the environment that the agent is started with. */
  readonly places: Places;
  readonly isTrusted?: ((folder: string) => boolean) | undefined;
}

const MAX_FOLDERS = 100;

export function trustIn({ agent, cwd, places, isTrusted }: TrustQuestion): FolderTrust {
  const folder = realPath(cwd);
  const folders = foldersOfProject(folder);
  if (isTrusted?.(folder) === true) return { folder, by: "person", leftOut: [] };
  const known = isAgentName(agent) ? agentOf(agent) : null;
  if (known?.isTrusted(folders, places) === true) return { folder, by: "agent", leftOut: [] };
  const names = known?.projectFiles ?? [];
  const home = realPath(places.home);
  const leftOut = folders
    // The files in a home belong to its person.
    .filter((one) => one !== home)
    .flatMap((one) => names.map((name) => join(one, name)))
    .filter((path) => existsSync(path));
  return { folder, by: null, leftOut };
}

/** Returns the files that trust in a folder allows, for each agent that finds some there. */
export function projectConfigurationIn(
  folder: string,
): readonly { readonly agent: AgentName; readonly files: readonly string[] }[] {
  return AGENT_NAMES.map((agent) => ({
    agent,
    files: agentOf(agent).projectFiles.filter((name) => existsSync(join(folder, name))),
  })).filter(({ files }) => files.length > 0);
}

/**
 * Checks an agent that cannot be kept from a project's configuration. Errors: `untrusted` if the project has such files
 * and is not trusted.
 */
export function assertHoldable(label: string, { folder, by, leftOut }: FolderTrust): void {
  if (by !== null || leftOut.length === 0) return;
  throw new ContinuoError(
    "untrusted",
    `${label} always runs what ${leftOut.join(", ")} says, and the folder is not trusted`,
    {
      hint: `Look at it, and if you trust it: continuo trust ${shellWord(folder)}`,
      details: { folder, files: leftOut },
    },
  );
}

/**
 * The folder and those above it, up to the root of its repository; outside of a repository, up to the root of the file
 * system.
 */
function foldersOfProject(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; !existsSync(join(at, ".git")); ) {
    const above = dirname(at);
    if (above === at || folders.length === MAX_FOLDERS) break;
    folders.push(above);
    at = above;
  }
  return folders;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The agent itself will report that the folder does not exist.
    return path;
  }
}
