/** Forks a native session: makes a new session of the same agent with the same history, or with the beginning of it. */

import { isAbsolute } from "node:path";
import {
  type AgentName,
  assertKnownOptions,
  ContinuoError,
  cancellable,
  type Message,
  present,
  type SessionInfo,
  shellWord,
} from "@continuo/core/model";
import { openScratch, type Places, placesOfThisUser } from "@continuo/files";
import { cutAt, type Fork } from "../native/forking/index.ts";
import {
  formatOf,
  LOOKUP_OPTIONS,
  type Lookup,
  type LookupOptions,
  lookUpSession,
  pick,
  resumeCommandOf,
  type SessionRef,
} from "../native/index.ts";
import type { OpenedSession } from "../native/kit/index.ts";
import { makersOfNow, type NativeWriter, type NewSession } from "../native/writing/index.ts";
import { firstDifference } from "./compare-fork.ts";
import { settleUnfinished } from "./locking/index.ts";
import { attemptKey, placeSession, stageRecords, takeFirstAttempt } from "./placing/index.ts";

export interface ForkOptions extends LookupOptions {
  /**
   * The id of the last message of the fork, or at least its first 4 characters; the last message of the active branch
   * by default.
   */
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

/**
 * The source is only read, so it may be open in its agent.
 *
 * Errors: those of a lookup; `not_found` for a message that does not exist, `ambiguous` for a shortened id of several
 * messages, `invalid` for a cut between a call and its result with `details.instead`, and for an empty session; `busy`,
 * `unsupported`, `unreadable`, `unwritable`; `verification_failed` if the fork reads differently. Nothing is written
 * then.
 */
export async function forkNativeSession(ref: SessionRef, options: ForkOptions = {}): Promise<ForkedSession> {
  assertKnownOptions("forkNativeSession", options, { ...LOOKUP_OPTIONS, at: true });
  return await cancellable(options.signal, () => makeFork(ref, options));
}

async function makeFork(ref: SessionRef, options: ForkOptions): Promise<ForkedSession> {
  const places = options.places ?? placesOfThisUser();
  await settleUnfinished({ places, signal: options.signal });
  const { reader, found } = await lookUpSession(ref, { ...pick(options, "cwd", "signal"), places });
  using opened = await reader.open(found, places, present({ signal: options.signal }));
  const { history, count } = await selectHistory(opened, options);
  const { agent, sessionId: forkedFrom, title: own, gitBranch } = opened.details;
  const key = keyOf(opened, history.slice(0, count));
  const first = (await takeFirstAttempt(key, places)).placed;
  const format = await formatOf(agent);
  const [writer, forker] = [await format.writer(), await format.forker()];
  const makers = makersOfNow();
  const title = own === null ? null : forker.titleOf(own);
  const { cwd } = opened.details;
  // The base of a relative path is not known.
  if (cwd === null || !isAbsolute(cwd)) throw folderUntold(forkedFrom, agent);
  const forked = { agent, cwd, forkedFrom, messages: count };
  if (first !== null)
    return {
      ...forked,
      ...first,
      title: title ?? opened.details.title,
      resumeCommand: resumeCommandOf(first),
    };
  const sessionId = writer.newSessionId(makers);
  const session: NewSession = { sessionId, cwd, title, gitBranch, createdMs: makers.now() };
  const part = options.at === undefined ? "whole" : "beginning";
  const fork = await forker.fork({ found, opened, history, count, part }, session, makers);
  options.signal?.throwIfAborted();
  const wanted = history.slice(0, fork.count);
  const read = await verify({ reader, found }, { writer, session, fork, wanted });
  const file = writer.placeOf(session, places);
  const location = await placeSession({ writer, session, file, records: fork.records, places, key });
  return {
    ...forked,
    messages: fork.count,
    title: title ?? read.title,
    sessionId,
    location,
    resumeCommand: resumeCommandOf({ agent, sessionId, location }),
  };
}

/** The key is the same for the same part of the same conversation. */
function keyOf({ details }: OpenedSession, part: readonly Message[]): string {
  const { agent, location, sessionId } = details;
  return attemptKey(
    "fork",
    agent,
    sessionId,
    location,
    part.map(({ id }) => id),
  );
}

/** An agent lists a session only in the session's folder: in any other folder nobody would find the fork. */
function folderUntold(sessionId: string, agent: AgentName): ContinuoError {
  return new ContinuoError(
    "unsupported",
    `cannot fork session ${sessionId}: it does not name its folder by an absolute path`,
    {
      hint: `Run \`continuo handoff ${shellWord(sessionId)} --to ${agent} --cwd DIR\` to make a copy in a folder that you name.`,
    },
  );
}

interface ForkSelection {
  readonly history: readonly Message[];
  readonly count: number;
}

/** Finds the message on any branch, the active one first. Errors: `not_found`, `invalid`, `ambiguous`. */
async function selectHistory(opened: OpenedSession, { at, signal }: ForkOptions): Promise<ForkSelection> {
  const { sessionId } = opened.details;
  for (const { id, active } of opened.leaves) {
    const branch = active ? {} : { leaf: id };
    const history = await Array.fromAsync(opened.history({ ...branch, ...present({ signal }) }));
    if (at === undefined && history.length > 0) return { history, count: history.length };
    const cut = at === undefined ? null : cutAt(history, at);
    if (cut !== null) return { history, count: cut.count };
  }
  if (at === undefined) throw new ContinuoError("invalid", `session ${sessionId} has no message`);
  throw new ContinuoError("not_found", `there is no message ${JSON.stringify(at)} in session ${sessionId}`, {
    hint: `Run \`continuo session show ${shellWord(sessionId)} --json\` to see the ids of its messages.`,
  });
}

interface ForkInput {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly fork: Fork;
  readonly wanted: readonly Message[];
}

/** Reads the fork back in a separate home. Errors: `verification_failed`. */
async function verify(
  { reader }: Lookup,
  { writer, session, fork, wanted }: ForkInput,
): Promise<Pick<SessionInfo, "title">> {
  using scratch = openScratch();
  const home: Places = { home: scratch.path, env: {} };
  const file = stageRecords({ writer, session, records: fork.records, home });
  const found = await reader.recognise(file, home);
  if (found === null) throw differs("it is not a session");
  using opened = await reader.open(found, home, {});
  if (opened.details.sessionId !== session.sessionId) throw differs("it has another id");
  const difference = await firstDifference(wanted, opened.history());
  if (difference !== null) throw differs(difference);
  return { title: opened.details.title };
}

function differs(how: string): ContinuoError {
  return new ContinuoError(
    "verification_failed",
    `verification failed: the fork differs when read back: ${how}; nothing was written`,
    {
      hint: "Run `continuo session check` to see whether the session is damaged, and `continuo session repair` to repair it.",
    },
  );
}
