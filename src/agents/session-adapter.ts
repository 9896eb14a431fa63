/** One session of one agent, read and appended to. */

import { isAbsolute } from "node:path";
import { type AgentName, ContinuoError } from "../model/index.ts";
import { type AdapterFormat, createAdapter, makersOfNow, type SessionAdapter } from "./adapter/index.ts";
import { placesOfThisUser, readerOf, writerOf } from "./lookup/index.ts";
import { type Places, toOneLine } from "./reader/index.ts";

export interface SessionAdapterOptions {
  readonly format: AdapterFormat;
  /** The session's file; the database of opencode. Only with `create` may it be left out. */
  readonly sessionFile?: string;
  /** Needed where a file holds several sessions. With `create`, the id of the new one. */
  readonly sessionId?: string;
  /** Begins a new session, with its first message, where the agent looks for it or at `sessionFile`. */
  readonly create?: {
    /** Absolute. */
    readonly cwd: string;
    readonly title?: string;
    readonly gitBranch?: string;
  };
  readonly places?: Places;
  /** How long an append waits for another writer of Continuo; 30 s when left out. */
  readonly lockWaitMs?: number;
  readonly signal?: AbortSignal;
}

export const AGENT_OF_FORMAT: Readonly<Record<AdapterFormat, AgentName>> = {
  "pi-agent": "pi",
  ccsdk: "claude",
  codex: "codex",
  gemini: "gemini",
  opencode: "opencode",
};

const LOCK_WAIT_MS = 30_000;

/** No I/O before the adapter's first call. Errors: `usage`. */
export function openSessionAdapter(options: SessionAdapterOptions): SessionAdapter {
  const { format, sessionFile, sessionId, create } = options;
  if (!Object.hasOwn(AGENT_OF_FORMAT, format)) {
    throw new ContinuoError("usage", `no session format ${JSON.stringify(format)}`, {
      hint: `The formats are ${Object.keys(AGENT_OF_FORMAT).join(", ")}.`,
    });
  }
  if (sessionFile === undefined && create === undefined) {
    throw new ContinuoError("usage", "an adapter needs a sessionFile, or create");
  }
  if (create !== undefined && !isAbsolute(create.cwd)) {
    throw new ContinuoError("usage", "the folder of a new session is a whole path", {
      details: { cwd: create.cwd },
    });
  }
  const agent = AGENT_OF_FORMAT[format];
  return createAdapter({
    format,
    places: options.places ?? placesOfThisUser(),
    load: async () => ({ reader: await readerOf(agent), writer: await writerOf(agent) }),
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
    makers: makersOfNow(),
    lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
    signal: options.signal,
  });
}
