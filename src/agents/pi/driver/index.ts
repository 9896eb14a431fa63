/**
 * pi, driven through the user's own `pi --mode rpc`: one program, which goes from session to session.
 *
 * Promises: those of `AgentDriver`; no pi is started in the user's home only to ask what it can do.
 * Does not know: pi's files, but for the tools that a session names. pi asks nobody before it uses a tool, unless an
 * extension does: `safe` gives it tools that read alone.
 */

import type { AgentDriver } from "../../../model/index.ts";
import { createDriverByHelp, type DriverOptions, type ProgramName } from "../../driver/index.ts";
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
    { name: "pi", program: PI_PROGRAM, capabilitiesIn, elsewhere, createLink },
    options,
  );
}
