/**
 * Back-pressure levels. A level ends only when the depth is much smaller than where the level began, so that it does
 * not flicker. Pure.
 */

import { LIMITS } from "./limits.ts";
import type { Level } from "./types.ts";

export function nextLevel(level: Level, depth: number): Level {
  if (depth < LIMITS.normalDepth) return "normal";
  if (depth >= LIMITS.criticalDepth) return "critical";
  if (depth >= LIMITS.warningDepth && level === "normal") return "warning";
  return level;
}
