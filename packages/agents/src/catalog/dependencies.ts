/** The files outside of a session on which its text depends, and the check whether they changed. */

import { statFile } from "@continuo/files";
import { stampOf } from "@continuo/native/index-file";
import type { AgentReader, FilesBefore, FoundSession } from "@continuo/native/kit";

/** The state of what has a name: a file by its path, or one that was looked for and not found. */
export type StampOfDependency = (name: string) => string;

/** States by name, as the index keeps them. */
export type DependencyStamps = Readonly<Record<string, string>>;

export function areDependenciesUnchanged(beside: DependencyStamps, now: StampOfDependency): boolean {
  return Object.entries(beside).every(([name, state]) => now(name) === state);
}

export function stampOfFile(path: string): string {
  const file = statFile(path);
  return file === null ? IS_GONE : stampOf([file]);
}

const IS_GONE = "gone";

/** Before the agent and what its sessions call the file; a path begins otherwise. */
const GONE = "gone:";

export function toDependencyStamps(agent: string, { there, gone }: FilesBefore): DependencyStamps {
  return {
    ...Object.fromEntries(there.map((file) => [file.path, stampOf([file])])),
    ...Object.fromEntries(gone.map((id) => [`${GONE}${agent}:${id}`, IS_GONE])),
  };
}

/** @param found all sessions, one of which a lost file may belong to */
export function createStampOfDependency(
  found: readonly FoundSession[],
  readers: readonly Pick<AgentReader, "agent" | "fileIdOf">[],
): StampOfDependency {
  let there: ReadonlySet<string> | null = null;
  return (name) => {
    if (!name.startsWith(GONE)) return stampOfFile(name);
    there ??= namesOf(found, readers);
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
    for (const { path } of files) names.add(`${GONE}${agent}:${fileIdOf(path)}`);
  }
  return names;
}
