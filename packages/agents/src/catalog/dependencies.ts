/** Checks whether the files outside of a session on which its text depends have changed. */

import { statFile } from "@continuo/files";
import { stampOf } from "@continuo/native/index-file";
import type { AgentReader, AncestorFiles, FoundSession } from "@continuo/native/kit";

/** Returns the state of a dependency by its name: the path of a file, or the name of a file that was not found. */
export type StampOfDependency = (name: string) => string;

/** The state of each dependency by its name. The index stores this. */
export type DependencyStamps = Readonly<Record<string, string>>;

export function areDependenciesUnchanged(beside: DependencyStamps, now: StampOfDependency): boolean {
  return Object.entries(beside).every(([name, state]) => now(name) === state);
}

export function stampOfFile(path: string): string {
  const file = statFile(path);
  return file === null ? IS_GONE : stampOf([file]);
}

const IS_GONE = "gone";

/**
 * The prefix of the name of a file that was not found; the agent and the agent's name for the file follow. No path
 * begins like this.
 */
const MISSING_PREFIX = "gone:";

export function toDependencyStamps(agent: string, { there, gone }: AncestorFiles): DependencyStamps {
  return {
    ...Object.fromEntries(there.map((file) => [file.path, stampOf([file])])),
    ...Object.fromEntries(gone.map((id) => [`${MISSING_PREFIX}${agent}:${id}`, IS_GONE])),
  };
}

/** @param found returns all sessions; a missing file may belong to one of them */
export function createStampOfDependency(
  found: () => readonly FoundSession[],
  readers: readonly Pick<AgentReader, "agent" | "fileIdOf">[],
): StampOfDependency {
  let there: ReadonlySet<string> | null = null;
  return (name) => {
    if (!name.startsWith(MISSING_PREFIX)) return stampOfFile(name);
    there ??= namesOf(found(), readers);
    return there.has(name) ? "there" : IS_GONE;
  };
}

function namesOf(
  found: readonly FoundSession[],
  readers: readonly Pick<AgentReader, "agent" | "fileIdOf">[],
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { agent, fileIdOf } of readers) {
    if (fileIdOf === undefined) continue;
    const files = found.filter((one) => one.agent === agent).flatMap((one) => one.files);
    for (const { path } of files) names.add(`${MISSING_PREFIX}${agent}:${fileIdOf(path)}`);
  }
  return names;
}
