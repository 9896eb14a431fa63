/** The capabilities of this `pi`, by its own help. Pure. */

import type { SessionCapabilities } from "@continuo/core/model";
import { NO_CAPABILITIES } from "../link/index.ts";

/**
 * pi does not list its sessions to other programs. Continuo finds the last one on disk; without a reader, pi finds it.
 */
export function capabilitiesIn(help: string): SessionCapabilities {
  const has = (flag: string): boolean => new RegExp(`(^|\\s)${flag}(?![\\w-])`, "mu").test(help);
  const canResume = has("--session");
  return {
    ...NO_CAPABILITIES,
    canResume,
    canContinueLast: canResume && has("--continue"),
    canFork: has("--fork"),
    canClose: true,
  };
}
