/**
 * pi, driven through the user's own `pi --mode rpc`: one program, which goes from session to session.
 *
 * Promises: those of `AgentDriver`; no pi is started in the user's home only to ask what it can do.
 * Does not know: pi's files. pi asks nobody before it uses a tool, unless an extension does: no policy can change
 * that from here.
 */

import type { AgentDriver } from "../../../model/index.ts";
import {
  beginConversation,
  commandOf,
  type DriverOptions,
  openSession,
  type ProgramName,
} from "../../driver/index.ts";
import { piCapabilities } from "./capabilities.ts";
import { noList, PiLink } from "./link.ts";
import { AGENT } from "./program.ts";

export const PI_PROGRAM: ProgramName = {
  agent: AGENT,
  name: "pi",
  install: "npm install -g @earendil-works/pi-coding-agent",
};

export function createPiDriver(options: DriverOptions): AgentDriver {
  return {
    agent: "pi",
    async capabilities(call = {}) {
      return (await piCapabilities(options, commandOf(options, PI_PROGRAM), call)).capabilities;
    },
    listSessions: () => Promise.reject(noList()),
    async open(open) {
      const command = commandOf(options, PI_PROGRAM);
      const { capabilities } = await piCapabilities(options, command, open);
      const link = new PiLink({ options, open, command, capabilities });
      const begin = () => openSession(link.ways(open), open, options);
      return await beginConversation({ agent: AGENT, cwd: open.cwd, link, options, open: begin });
    },
  };
}
