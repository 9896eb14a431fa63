/**
 * A separate home for sessions of one agent: it has the same paths below the folders in which the agent's reader looks.
 */

import { join, relative, sep } from "node:path";
import type { Places } from "@continuo/files";
import { agentOf } from "../../native/index.ts";
import type { AgentReader } from "../../native/kit/index.ts";

/** Names from the environment stay; folders that it names are replaced, because they are the person's own. */
export function stagedPlaces({ agent }: Pick<AgentReader, "agent">, { env }: Places, home: string): Places {
  const { variablePrefix, homeVariable } = agentOf(agent);
  const names = Object.entries(env).filter(
    ([name, value]) => name.startsWith(variablePrefix) && name !== homeVariable && !value?.includes(sep),
  );
  return { home, env: Object.fromEntries(names) };
}

interface StageContext {
  readonly reader: Pick<AgentReader, "agent" | "folders">;
  readonly places: Places;
  readonly staged: Places;
}

/** `null` for a path that is in no folder of the agent's reader. */
export function stagedPath(path: string, { reader, places, staged }: StageContext): string | null {
  const folders = reader.folders?.(places) ?? [];
  const index = folders.findIndex((folder) => path.startsWith(join(folder, sep)));
  const [folder, target] = [folders[index], reader.folders?.(staged)[index]];
  return folder === undefined || target === undefined ? null : join(target, relative(folder, path));
}
