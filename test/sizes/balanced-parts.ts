/**
 * The parts into which CI divides the files of the real agents. Vitest's own parts hold as many files each, so that one
 * took two minutes and another one twenty.
 */

import type { TestSpecification } from "vitest/node";
import { LongestFirst } from "./longest-first.ts";

/** Seconds of the files that took a minute or more in a run of CI on a busy machine: only their ratio matters. */
export const SECONDS: Readonly<Record<string, number>> = {
  "append/append": 492,
  "channel/join": 74,
  "chat/chat": 465,
  "chat/crash": 114,
  "chat/policy": 113,
  "claude/claude": 140,
  "copilot/handed-over": 196,
  "doctor/doctor": 395,
  "drivers/adapters": 86,
  "drivers/claude": 95,
  "drivers/copilot": 156,
  "drivers/gemini": 186,
  "drivers/opencode": 277,
  "drivers/own-protocols": 98,
  "drivers/policies": 433,
  "drivers/trust": 188,
  "drivers/writers": 66,
  "fork/fork": 97,
  "handoff/bundle": 254,
  "handoff/matrix": 480,
  "handoff/never-used": 303,
  "handoff/returns": 68,
  "handoff/states": 165,
  "mcp/mcp": 169,
  "repair/damages": 180,
  "repair/repair": 149,
  "repair/view": 90,
  "runs/bad-turns": 231,
  "runs/pairs": 95,
  "runs/runs": 111,
  "trash/trash": 137,
};
const SECONDS_OF_OTHERS = 30;

/** The longest first, each to the part that has least. Every run of the same files makes the same parts. */
export function balancedParts(paths: readonly string[], count: number): readonly (readonly string[])[] {
  const parts = Array.from({ length: count }, () => ({ seconds: 0, paths: [] as string[] }));
  for (const path of longestFirst(paths)) {
    const least = parts.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    least.seconds += secondsOf(path);
    least.paths.push(path);
  }
  return parts.map((part) => part.paths);
}

function longestFirst(paths: readonly string[]): readonly string[] {
  return paths.toSorted((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1));
}

export function secondsOf(path: string): number {
  const name = /test\/agents\/(.+)\.agents\.test\.ts$/u.exec(path)?.[1] ?? "";
  return SECONDS[name] ?? SECONDS_OF_OTHERS;
}

export class BalancedParts extends LongestFirst {
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    const paths = files.map(({ moduleId }) => moduleId);
    const chosen = new Set(balancedParts(paths, count)[index - 1]);
    return files.filter(({ moduleId }) => chosen.has(moduleId));
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const shuffled = await super.sort(files);
    return shuffled.toSorted((a, b) => secondsOf(b.moduleId) - secondsOf(a.moduleId));
  }
}
