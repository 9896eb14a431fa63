/** The capabilities of this `claude`, by its own help. Pure. */

import type { SessionCapabilities } from "@continuo/core/model";
import { NO_CAPABILITIES } from "../link/index.ts";

/** Claude Code does not list its sessions to other programs; Continuo does `--continue` itself, by its own list. */
export function capabilitiesIn(help: string): SessionCapabilities {
  const has = (flag: string): boolean => new RegExp(`(^|\\s)${flag}(?![\\w-])`, "mu").test(help);
  const canResume = has("--resume");
  return {
    ...NO_CAPABILITIES,
    canResume,
    canContinueLast: canResume && has("--continue"),
    canFork: canResume && has("--fork-session"),
    canClose: true,
  };
}
