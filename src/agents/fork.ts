/** A native session forked: a new session of the same agent with the same history, or the beginning of it. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentName, ContinuoError, type Message, type SessionInfo } from "../model/index.ts";
import { makersOfNow, type NativeWriter, type NewSession, writeBeside } from "./adapter/index.ts";
import { cutAt, type Fork, firstDifference, type NativeForker } from "./forking/index.ts";
import {
  type Lookup,
  type LookupOptions,
  lookUpSession,
  placesOfThisUser,
  resumeCommandOf,
  type SessionRef,
  writerOf,
} from "./lookup/index.ts";
import { type OpenedSession, type Places, toSignal } from "./reader/index.ts";

export interface ForkOptions extends LookupOptions {
  /** Id of the last message that goes along; the last one of the active branch when left out. */
  readonly at?: string;
}

export interface ForkedSession {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  readonly title: string | null;
  readonly cwd: string;
  readonly resumeCommand: readonly string[];
  readonly forkedFrom: string;
  readonly messages: number;
}

export const FORKERS: Readonly<Record<AgentName, () => Promise<NativeForker>>> = {
  claude: async () => (await import("./claude/index.ts")).claudeForker,
  codex: async () => (await import("./codex/index.ts")).codexForker,
  gemini: async () => (await import("./gemini/index.ts")).geminiForker,
  pi: async () => (await import("./pi/index.ts")).piForker,
  opencode: async () => (await import("./opencode/index.ts")).opencodeForker,
};

/**
 * The source is only read, so that it may be open in its agent.
 *
 * Errors: those of a lookup; `not_found` for a message that is not there, `invalid` for a cut between a call and
 * its result with `details.instead`, and for a session that holds nothing; `unsupported`, `unreadable`,
 * `unwritable`; `verification_failed` where the fork reads differently. Nothing is written then.
 */
export async function forkNativeSession(ref: SessionRef, options: ForkOptions = {}): Promise<ForkedSession> {
  const places = options.places ?? placesOfThisUser();
  const { reader, found } = await lookUpSession(ref, { ...options, places });
  using opened = await reader.open(found, places, toSignal(options.signal));
  const { history, count } = await selectHistory(opened, options);
  const { agent, sessionId: forkedFrom, title: own, gitBranch } = opened.details;
  const writer = await writerOf(agent);
  const forker = await FORKERS[agent]();
  const makers = makersOfNow();
  const title = own === null ? null : forker.titleOf(own);
  const { cwd } = opened.details;
  if (cwd === null) throw folderUntold(forkedFrom, agent);
  const sessionId = writer.newSessionId(makers);
  const session: NewSession = { sessionId, cwd, title, gitBranch, createdMs: makers.now() };
  const part = options.at === undefined ? "whole" : "beginning";
  const fork = await forker.fork({ found, opened, history, count, part }, session, makers);
  options.signal?.throwIfAborted();
  const wanted = history.slice(0, fork.count);
  const read = await verify({ reader, found }, { writer, session, fork, wanted });
  const location = await place(writer, session, fork, places);
  const resumeCommand = resumeCommandOf({ agent, sessionId, location });
  const said = { title: title ?? read.title, cwd, forkedFrom, messages: fork.count };
  return { agent, sessionId, location, ...said, resumeCommand };
}

/** An agent lists a session where it works: in any other folder nobody would find the fork. */
function folderUntold(sessionId: string, agent: AgentName): ContinuoError {
  return new ContinuoError("unsupported", `session ${sessionId} does not tell its folder`, {
    hint: `\`continuo handoff ${sessionId} --to ${agent} --cwd DIR\` makes a copy in a folder that you name.`,
  });
}

interface Selected {
  readonly history: readonly Message[];
  readonly count: number;
}

/** A message on another branch than the active one is found too. Errors: `not_found`, `invalid`, `ambiguous`. */
async function selectHistory(opened: OpenedSession, { at, signal }: ForkOptions): Promise<Selected> {
  const { sessionId } = opened.details;
  for (const { id, active } of opened.leaves) {
    const branch = active ? {} : { leaf: id };
    const history = await Array.fromAsync(opened.history({ ...branch, ...toSignal(signal) }));
    if (at === undefined && history.length > 0) return { history, count: history.length };
    const cut = at === undefined ? null : cutAt(history, at);
    if (cut !== null) return { history, count: cut.count };
  }
  if (at === undefined) throw new ContinuoError("invalid", `session ${sessionId} holds no message`);
  throw new ContinuoError("not_found", `no message ${JSON.stringify(at)} in session ${sessionId}`, {
    hint: `\`continuo session show ${sessionId} --json\` tells the ids of its messages.`,
  });
}

interface Forking {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly fork: Fork;
  readonly wanted: readonly Message[];
}

/** Reads the fork in a home of its own. Errors: `verification_failed`. */
async function verify(
  { reader }: Lookup,
  { writer, session, fork, wanted }: Forking,
): Promise<Pick<SessionInfo, "title">> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "continuo-fork-")));
  try {
    const home: Places = { home: scratch, env: {} };
    let file = writer.placeOf(session, home);
    if (writer.stage === undefined) {
      const sink = await writer.openSink(file, session.sessionId, home);
      sink.create(fork.records);
      sink.close();
    } else {
      file = join(scratch, "session.json");
      writeBeside({ how: "create", path: file, text: writer.stage(fork.records, session) });
    }
    const found = await reader.recognise(file, home);
    if (found === null) throw differs("it is no session");
    using opened = await reader.open(found, home, {});
    if (opened.details.sessionId !== session.sessionId) throw differs("it has another id");
    const difference = firstDifference(wanted, await Array.fromAsync(opened.history()));
    if (difference !== null) throw differs(difference);
    return { title: opened.details.title };
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

function differs(how: string): ContinuoError {
  return new ContinuoError("verification_failed", `the fork reads differently: ${how}`, {
    hint: "Nothing was written. `session check` tells whether the session is damaged, `session repair` makes it whole.",
  });
}

async function place(
  writer: NativeWriter<unknown>,
  session: NewSession,
  { records }: Fork,
  places: Places,
): Promise<string> {
  const file = writer.placeOf(session, places);
  const besides = writer.besideNew?.(session, file) ?? [];
  for (const beside of besides) if (beside.how === "create") writeBeside(beside);
  const sink = await writer.openSink(file, session.sessionId, places);
  try {
    sink.create(records);
  } finally {
    sink.close();
  }
  for (const beside of besides) if (beside.how === "append") writeBeside(beside);
  return writer.locationOf(file, session.sessionId);
}
