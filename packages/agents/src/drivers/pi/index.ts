/**
 * The driver of pi: one `pi --mode rpc` process, which switches between sessions.
 *
 * Promises: those of `AgentDriver`; no pi starts in the user's home only to learn what pi can do; `safe` gives pi
 * tools that only read, and `ask` an extension that asks, because pi asks for no permission unless an extension does.
 * Does not know: pi's files, except for the tools that a session names.
 */

import type { AgentDriver } from "@continuo/core/model";
import { createDriverByHelp, type DriverOptions, type ProgramName } from "../link/index.ts";
import { capabilitiesIn } from "./capabilities.ts";
import { PiLink } from "./link.ts";
import { AGENT } from "./program.ts";

export const PI_PROGRAM: ProgramName = {
  agent: AGENT,
  name: "pi",
  install: "npm install -g @earendil-works/pi-coding-agent",
};

/** `pi --help` writes into its home (1.5.2). */
export function createPiDriver(options: DriverOptions): AgentDriver {
  const createLink = (parts: ConstructorParameters<typeof PiLink>[0]) => new PiLink(parts);
  const elsewhere = (home: string) => ({ PI_CODING_AGENT_DIR: home, PI_OFFLINE: "1" });
  return createDriverByHelp(
    { name: "pi", program: PI_PROGRAM, needs: "--mode ", capabilitiesIn, elsewhere, createLink },
    options,
  );
}
