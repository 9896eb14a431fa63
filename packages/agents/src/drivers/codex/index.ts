/**
 * The driver of Codex: threads and turns over `codex app-server`.
 *
 * Promises: those of `AgentDriver`; no server starts in the user's Codex home only to learn what Codex can do.
 * Does not know: Codex's files; who decides a permission.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentDriver, type CallOptions, present, type SessionCapabilities } from "@continuo/core/model";
import {
  beginConversation,
  commandOf,
  type DriverOptions,
  driverEnvironment,
  limitsOf,
  openAgentSession,
  type ProgramName,
  rememberCapabilities,
} from "../link/index.ts";
import { askCapabilities } from "./capabilities.ts";
import { CodexLink } from "./link.ts";
import { AGENT, type CodexHandlers, type CodexServer, startCodex } from "./server.ts";
import { listThreads } from "./threads.ts";

export const CODEX_PROGRAM: ProgramName = {
  agent: AGENT,
  name: "codex",
  install: "npm install -g @openai/codex",
};

/** The handlers of a server without a conversation, which do nothing. */
const NOBODY: CodexHandlers = {
  onNotification: () => undefined,
  onRequest: () => undefined,
  onEnd: () => undefined,
};

export function createCodexDriver(options: DriverOptions): AgentDriver {
  /** Open servers of conversations are asked first, so that no new one has to start. */
  const links = new Set<CodexLink>();
  return {
    agent: "codex",
    capabilities: (call = {}) => capabilitiesAlone(options, call),
    async listSessions({ cwd, cursor, signal }) {
      const list = present({ cwd, cursor });
      const limits = present({ limitMs: limitsOf(options).callMs, signal });
      const [link] = links;
      if (link !== undefined) return await listThreads(link.server, list, limits);
      const server = await serverIn(options, driverEnvironment(options), present({ signal }));
      try {
        return await listThreads(server, list, limits);
      } finally {
        await server.end();
      }
    },
    async open(open) {
      const onClose = (): void => void links.delete(link);
      const link = new CodexLink({ options, open, command: commandOf(options, CODEX_PROGRAM), onClose });
      const begin = async () => {
        await link.start(open);
        const opened = await openAgentSession(link.ways(open), open, options);
        links.add(link);
        return opened;
      };
      const { cwd, resumeSessionId: asked, signal } = open;
      const name = "codex";
      return await beginConversation({ agent: AGENT, name, cwd, link, options, asked, signal, open: begin });
    },
  };
}

/** Uses a temporary home, because a server writes into its home when it starts. */
async function capabilitiesAlone(options: DriverOptions, call: CallOptions): Promise<SessionCapabilities> {
  const command = commandOf(options, CODEX_PROGRAM);
  const known = await rememberCapabilities(options.places, command, async () => {
    const home = await mkdtemp(join(tmpdir(), "continuo-codex-"));
    try {
      const server = await serverIn(options, { ...driverEnvironment(options), CODEX_HOME: home }, call);
      try {
        return await askCapabilities(
          server,
          present({ limitMs: limitsOf(options).callMs, signal: call.signal }),
        );
      } finally {
        await server.end();
      }
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
  return known.capabilities;
}

async function serverIn(
  options: DriverOptions,
  env: Record<string, string>,
  { signal }: CallOptions,
): Promise<CodexServer> {
  return await startCodex({
    command: commandOf(options, CODEX_PROGRAM),
    cwd: options.places.home,
    env,
    limits: limitsOf(options),
    handlers: NOBODY,
    ...present({ signal }),
  });
}
