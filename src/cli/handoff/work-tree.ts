/** The state of a work tree in words, and as JSON. */

import type { WorkTreeState } from "@continuo/agents/handoff/work-tree";
import { plural, type Shell, tildePath } from "../terminal/index.ts";

/** `main at 1f2e3d4c5b6a in ~/work/timer: 2 paths staged, 3 files changed`. */
export function workTreeLine(state: WorkTreeState, folder: string, shell: Shell): string {
  const at = state.head === null ? "without a commit" : `at ${state.head.slice(0, 12)}`;
  const staged = state.index.length;
  const parts = [
    staged > 0 ? `${plural(staged, "path")} staged` : "",
    state.files.length > 0 ? `${plural(state.files.length, "file")} changed or new` : "",
    Object.keys(state.operation).length > 0 ? "a merge that is not finished" : "",
  ].filter(Boolean);
  const changes = parts.length === 0 ? "no changes" : parts.join(", ");
  return `work tree ${tildePath(folder, shell.home)}, ${state.branch ?? "no branch"} ${at}: ${changes}`;
}

export interface WorkTreeFacts {
  readonly state: WorkTreeState;
  readonly folder: string;
}

export function workTreeJson({ state, folder, ...facts }: WorkTreeFacts): object {
  const { head, branch, index, files } = state;
  return { folder, head, branch, staged: index.length, files: files.length, ...facts };
}
