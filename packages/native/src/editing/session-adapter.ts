/** Opens one session of one agent, to read it and to append to it. */

import { isAbsolute } from "node:path";
import { type AgentName, assertKnownOptions, ContinuoError, type KnownOptions } from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import { agentOfAdapterFormat, READABLE_AGENTS } from "../native/index.ts";
import { toOneLine } from "../native/kit/index.ts";
import { makersOfNow } from "../native/writing/index.ts";
import { type AdapterFormat, createAdapter, type SessionAdapter } from "./append/index.ts";
import { upgradeSession } from "./upgrade.ts";

export interface SessionAdapterOptions {
  /** The name of the agent, such as `claude` and `pi`, or its name in the contract: `ccsdk` and `pi-agent` for these. */
  readonly format: AdapterFormat | AgentName;
  /** The session's file, or the database of opencode. It can be left out only with `create`. */
  readonly sessionFile?: string;
  /** Required if the file contains several sessions. With `create`, the id of the new session. */
  readonly sessionId?: string;
  /** The first message creates a new session, at `sessionFile` or where the agent looks for sessions. */
  readonly create?: {
    /** The absolute path of the session's folder. */
    readonly cwd: string;
    readonly title?: string;
    readonly gitBranch?: string;
  };
  readonly places?: Places;
  /** The milliseconds for which an append waits for another writer of Continuo; 30,000 by default. */
  readonly lockWaitMs?: number;
  readonly signal?: AbortSignal;
}

const OPTIONS: KnownOptions<SessionAdapterOptions> = {
  format: true,
  sessionFile: true,
  sessionId: true,
  create: true,
  places: true,
  lockWaitMs: true,
  signal: true,
};

const LOCK_WAIT_MS = 30_000;

/** Opens an adapter, which does no I/O before its first call. Errors: `usage`. */
export function openSessionAdapter(options: SessionAdapterOptions): SessionAdapter {
  assertKnownOptions("openSessionAdapter", options, OPTIONS);
  assertKnownOptions("create", options.create ?? {}, { cwd: true, title: true, gitBranch: true });
  const { format, sessionFile, sessionId, create } = options;
  const agent = agentOfAdapterFormat(format);
  if (agent === null) {
    throw new ContinuoError("usage", `there is no session format ${JSON.stringify(format)}`, {
      hint: `Name the agent: ${READABLE_AGENTS.join(", ")}.`,
    });
  }
  if (sessionFile === undefined && create === undefined) {
    throw new ContinuoError("usage", "a session adapter requires `sessionFile` or `create`");
  }
  if (create !== undefined && !isAbsolute(create.cwd)) {
    throw new ContinuoError("usage", "the folder of a new session must be an absolute path", {
      details: { cwd: create.cwd },
    });
  }
  const places = options.places ?? placesOfThisUser();
  const makers = makersOfNow();
  return createAdapter({
    format: agent.adapterFormat as AdapterFormat,
    places,
    upgrade: (lookup, writer) => upgradeSession({ lookup, writer, makers, places }),
    load: async () => {
      const reader = await agent.format();
      return { reader, writer: await reader.writer() };
    },
    sessionFile: sessionFile ?? null,
    sessionId: sessionId ?? null,
    create:
      create === undefined
        ? null
        : {
            cwd: create.cwd,
            title: toOneLine(create.title ?? "") || null,
            gitBranch: create.gitBranch ?? null,
          },
    makers,
    lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
    signal: options.signal,
  });
}
