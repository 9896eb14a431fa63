/**
 * The parts into which CI divides the files of the full size and those of the real agents. Vitest's own parts have
 * equal numbers of files, so that one part took two minutes and another one twenty.
 */

import type { TestSpecification } from "vitest/node";
import { LongestFirst } from "./longest-first.ts";

/**
 * The seconds that the slowest files take in a run of CI (those of the agents on a busy machine), by their paths below
 * `test/`. Only the ratio matters.
 */
export const SECONDS: Readonly<Record<string, number>> = {
  "acp/conformance/gateway": 193,
  "agents/append/append": 492,
  "agents/channel/join": 74,
  "agents/chat/chat": 465,
  "agents/chat/crash": 114,
  "agents/chat/policy": 113,
  "agents/claude/claude": 140,
  "agents/copilot/handed-over": 196,
  "agents/doctor/doctor": 395,
  "agents/drivers/adapters": 86,
  "agents/drivers/claude": 95,
  "agents/drivers/copilot": 156,
  "agents/drivers/gemini": 186,
  "agents/drivers/opencode": 277,
  "agents/drivers/own-protocols": 98,
  "agents/drivers/policies": 433,
  "agents/drivers/trust": 188,
  "agents/drivers/writers": 66,
  "agents/fork/fork": 97,
  "agents/handoff/bundle": 254,
  "agents/handoff/matrix": 480,
  "agents/handoff/never-used": 303,
  "agents/handoff/returns": 68,
  "agents/handoff/states": 165,
  "agents/mcp/mcp": 169,
  "agents/repair/damages": 180,
  "agents/repair/repair": 149,
  "agents/repair/view": 90,
  "agents/runs/bad-turns": 231,
  "agents/runs/pairs": 95,
  "agents/runs/runs": 111,
  "agents/trash/trash": 137,
  "ahp/vscode": 56,
  "channels/chaos": 66,
  "channels/contract/postgres": 49,
  "channels/standstill": 123,
  "cli/channel": 67,
  "cli/configuration": 92,
  "cli/live": 51,
  "docs/examples": 124,
  "docs/reference": 64,
  "extension/beside-viewer": 55,
  "extension/joined-page": 134,
  "extension/microphone": 56,
  "extension/panel": 46,
  "extension/questions": 123,
  "extension/session-page": 136,
  "extension/sources": 56,
  "extension/tab-sound": 75,
  "extension/video-notes": 43,
  "extension/whisper-server": 50,
  "gateway/killed": 69,
  "guard/killed": 49,
  "guard/large": 68,
  "guard/ratio": 48,
  "hand-off/edits-killed": 204,
  "hand-off/every-state": 69,
  "hand-off/memory": 120,
  "hand-off/there-and-back": 51,
  "live/captions/scripted": 50,
  "live/segments": 59,
  "move/killed": 48,
  "move/mirror-killed": 225,
  "move/take-over-killed": 74,
  package: 115,
  packages: 178,
  "power-cut/small-disk": 45,
  "release/reference": 87,
  "release/release": 321,
  "relocate/killed": 91,
  "repair/many": 54,
  "runtime/listings": 71,
  "runtime/products": 46,
  "search/grown": 69,
  "search/killed": 57,
  "search/new-lines": 96,
  "server/conformance-sqlite": 85,
  "server/rolling/rolling-upgrade": 118,
  "single/bare": 224,
  "single/install": 126,
  "single/single": 51,
  "store/s3/move-kills": 103,
  "takeover/local-user": 65,
  "web/accessibility": 49,
  "web/actions": 44,
  "web/addresses": 60,
  "web/any-address": 74,
  "web/channel-list": 56,
  "web/figures": 165,
  "web/format-cases": 125,
  "web/lost-server": 55,
  "web/viewer": 68,
};
const SECONDS_OF_OTHERS = 30;

/** Files that any change can break, which are in each part. */
const ALWAYS = /(?:^|\/)test\/(?:docs|house)\/|(?:^|\/)test\/package\.full\.test\.ts$/u;

/** Assigns the files, the longest first, each to the shortest part. The same files always give the same parts. */
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
  const name = /(?:^|\/)test\/(.+)\.(?:agents|full)\.test\.ts$/u.exec(path)?.[1] ?? "";
  return SECONDS[name] ?? SECONDS_OF_OTHERS;
}

export class BalancedParts extends LongestFirst {
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    const paths = files.map(({ moduleId }) => moduleId);
    const chosen = new Set(balancedParts(paths, count)[index - 1]);
    return files.filter(({ moduleId }) => chosen.has(moduleId) || ALWAYS.test(moduleId));
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const shuffled = await super.sort(files);
    return shuffled.toSorted((a, b) => secondsOf(b.moduleId) - secondsOf(a.moduleId));
  }
}
