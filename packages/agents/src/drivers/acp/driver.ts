/** Drives any agent that speaks ACP. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentDriver,
  type CallOptions,
  ContinuoError,
  type Conversation,
  type DriverSession,
  type OpenConversation,
  type Page,
  present,
  type SessionCapabilities,
} from "@continuo/core/model";
import { beginConversation, type DriverOptions, limitsOf, rememberCapabilities } from "../link/index.ts";
import { type AcpConnection, type AcpListener, acpCommand, capabilityKey, connectAcp } from "./connection.ts";
import type { InitializeResult, ProtocolVersion } from "./initialize.ts";
import { type AcpLink, startLink } from "./link.ts";
import { noteLoggedIn, noteLoggedOut } from "./logins.ts";
import type { AcpProgram } from "./programs.ts";
import { listPage } from "./sessions.ts";

export interface AcpOptions extends DriverOptions {
  /** The version of ACP that Continuo asks for; 1 by default. The agent's answer decides. */
  readonly protocol?: ProtocolVersion;
}

export interface AcpDriver extends AgentDriver {
  /** Errors: `unsupported`, `not_found`, and those of `open`. */
  deleteSession(sessionId: string, options: CallOptions & { readonly cwd: string }): Promise<void>;
}

/** The longest wait for a login that a person makes in a browser. */
const LOGIN_MS = 10 * 60_000;

/** Updates of a program that only answers questions are dropped. */
const DEAF: AcpListener = {
  onUpdate: async () => undefined,
  onOdd: async () => undefined,
  onPermission: async () => ({ outcome: "cancelled" }),
  onEditorRequest: async () => ({}),
};

export function createAcpDriver(program: AcpProgram, options: AcpOptions): AcpDriver {
  const { protocol = 1, places } = options;
  const limits = limitsOf(options);
  /** Open agents of conversations are asked first, so that no new program has to start. */
  const links = new Set<AcpLink>();

  async function ask<T>(
    { cwd = places.home, signal }: CallOptions & { readonly cwd?: string },
    question: (connection: AcpConnection) => Promise<T>,
  ): Promise<T> {
    const [link] = links;
    if (link !== undefined) return await question(link.connection);
    const connection = await connectAcp({ program, options, cwd, protocol, signal, listener: DEAF });
    try {
      return await question(connection);
    } finally {
      await connection.close();
    }
  }

  async function remember(
    hello: () => Promise<InitializeResult> | InitializeResult,
  ): Promise<SessionCapabilities> {
    const known = await rememberCapabilities(
      places,
      capabilityKey(acpCommand(program, options), protocol),
      async () => {
        const { capabilities, version } = await hello();
        return { capabilities, version };
      },
    );
    return withDisk(known.capabilities, options);
  }

  return {
    agent: program.agent,
    async capabilities({ signal } = {}) {
      const [link] = links;
      return await remember(
        () => link?.connection.hello ?? helloInScratch({ program, options, protocol, signal }),
      );
    },
    async listSessions({ cwd, cursor, signal }): Promise<Page<DriverSession>> {
      const params = present({ cwd, cursor });
      return await ask({ ...params, ...present({ signal }) }, async (connection) => {
        assertOffered(program, connection.hello.capabilities.canList, "list");
        return await listPage(connection, params, { limitMs: limits.callMs, signal });
      });
    },
    async deleteSession(sessionId, call) {
      await ask(call, async (connection) => {
        assertOffered(program, connection.hello.capabilities.canDelete, "delete");
        const asking = { limitMs: limits.callMs, signal: call.signal };
        await connection.callKnown("session/delete", { sessionId }, asking);
      });
    },
    async logIn(methodId, { signal } = {}) {
      await ask(present({ signal }), async (connection) => {
        // A person may have to read a page first.
        await connection.logIn(methodId, { limitMs: LOGIN_MS, signal });
        if (connection.hello.canLogOut) noteLoggedIn(places, program.agent);
      });
    },
    async logOut({ signal } = {}) {
      await ask(present({ signal }), async (connection) => {
        await connection.logOut({ limitMs: limits.callMs, signal });
        noteLoggedOut(places, program.agent);
      });
    },
    async open(open: OpenConversation): Promise<Conversation> {
      const onClose = (closed: AcpLink): void => void links.delete(closed);
      const link = await startLink({ program, options, open, protocol, onClose });
      const begin = async () => {
        const opened = await link.enter();
        links.add(link);
        await remember(() => link.connection.hello);
        return opened;
      };
      const { cwd, resumeSessionId: asked, signal } = open;
      const { label, agent: name } = program;
      return await beginConversation({ agent: label, name, cwd, link, options, asked, signal, open: begin });
    },
  };
}

interface AcpRequest {
  readonly program: AcpProgram;
  readonly options: AcpOptions;
  readonly protocol: ProtocolVersion;
  readonly signal: AbortSignal | undefined;
}

/**
 * Agents clean and rewrite their homes when they start, so a program that only answers questions gets an empty home.
 */
async function helloInScratch({ program, options, protocol, signal }: AcpRequest): Promise<InitializeResult> {
  const home = await mkdtemp(join(tmpdir(), "continuo-hello-"));
  const env = Object.entries(options.places.env).filter(
    ([name]) => !name.startsWith("XDG_") && program.homes?.includes(name) !== true,
  );
  const scratch = { ...options, places: { home, env: Object.fromEntries(env) } };
  try {
    const start = { program, options: scratch, cwd: home, protocol, signal, listener: DEAF };
    const connection = await connectAcp(start);
    await connection.close();
    return connection.hello;
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function assertOffered({ label }: AcpProgram, offered: boolean, what: string): void {
  if (!offered) throw new ContinuoError("unsupported", `${label} cannot ${what} its sessions`);
}

/** The last session is known if the agent lists its sessions, or Continuo reads them. */
function withDisk(told: SessionCapabilities, { reader }: DriverOptions): SessionCapabilities {
  const canOpen = told.canLoad || told.canResume;
  return { ...told, canContinueLast: canOpen && (told.canList || reader !== undefined) };
}
