/**
 * Opens a conversation, in the same way for every driver: a new session, one by its id, the last one, or a fork. The
 * driver says which ways its agent offers; the order of the attempts and their report are the same for all drivers.
 */

import {
  ContinuoError,
  type DriverSession,
  isContinuoError,
  type OpenConversation,
  present,
  type Resumption,
  type ResumptionStep,
} from "@continuo/core/model";
import { type CascadeResult, type CascadeStep, runCascade } from "./cascade.ts";
import { lastSession } from "./last-session.ts";
import type { DriverOptions } from "./options.ts";
import { type RecordedMessages, toRecordedMessages } from "./recorded-messages.ts";
import { type DiskMark, findOnDisk, historyOnDisk, markOf } from "./verify.ts";

/** The outcome of an attempt: the native session that the agent reports as open. */
export interface OpenOutcome {
  readonly sessionId: string;
}

export interface OpeningMethods {
  /** The agent's name for people, for messages. */
  readonly agent: string;
  /** The agent's key in references. */
  readonly name: string;
  begin(): Promise<OpenOutcome>;
  resume(sessionId: string): readonly CascadeStep<OpenOutcome>[];
  fork(sessionId: string): readonly CascadeStep<OpenOutcome>[];
  /**
   * Opens the session that the agent itself takes for the last one; left out if the agent has no such way. Errors:
   * `not_found`, also if it began a new session instead.
   */
  last?(): CascadeStep<OpenOutcome>;
  /** Returns the agent's complete own list; called if Continuo cannot read its sessions. Errors: `unsupported`. */
  list(): Promise<readonly DriverSession[]>;
}

export type OpenRequest = Omit<OpenConversation, "model" | "mode" | "onPermission">;

export interface OpenedSession {
  readonly sessionId: string;
  readonly resumption: Resumption;
  /** The messages that are sent before the first prompt. */
  readonly before: RecordedMessages | null;
  /**
   * The state of the requested session on disk; `null` for a new session, and for one that Continuo cannot find or
   * read.
   */
  readonly mark: DiskMark | null;
}

/** Errors: as `AgentDriver.open`; `invalid` when more than one session is asked for. */
export async function openAgentSession(
  ways: OpeningMethods,
  open: OpenRequest,
  options: DriverOptions,
): Promise<OpenedSession> {
  const { resumeSessionId, forkSessionId, continueLast = false } = open;
  const wishes = [resumeSessionId !== undefined, forkSessionId !== undefined, continueLast];
  if (wishes.filter(Boolean).length > 1) {
    throw new ContinuoError("invalid", "resume, continue and fork exclude each other");
  }
  if (forkSessionId !== undefined)
    return await goOn(ways, { open, options, from: forkSessionId, how: "fork" });
  if (resumeSessionId !== undefined) {
    return await goOn(ways, { open, options, from: resumeSessionId, how: "resume" });
  }
  if (continueLast) return await goOnWithLast(ways, open, options);
  const { sessionId } = await ways.begin();
  const ref = { agent: ways.name, sessionId, location: null, cwd: open.cwd };
  const resumption: Resumption = { requested: "new", happened: "new", ref, verifiedBy: "agent" };
  return { sessionId, resumption, before: null, mark: null };
}

/**
 * The agent continues its last session itself if that is wanted and possible, or if there is no list. Otherwise
 * Continuo chooses the session.
 */
async function goOnWithLast(
  ways: OpeningMethods,
  open: OpenRequest,
  options: DriverOptions,
): Promise<OpenedSession> {
  const { continueBy } = open;
  const own = ways.last?.() ?? NO_WAY_OF_ITS_OWN;
  if (continueBy === "agent" && own.offered) return await goOnByAgent(ways, own, { open, options });
  const earlier: readonly ResumptionStep[] =
    continueBy === "agent" ? [{ step: own.step, outcome: "not offered" }] : [];
  try {
    const { sessionId, step } = await lastSession(ways, open, options);
    return await goOn(ways, { open, options, from: sessionId, how: "continue", earlier: [...earlier, step] });
  } catch (error) {
    const isUnlisted = continueBy === undefined && own.offered && isContinuoError(error, "unsupported");
    if (!isUnlisted) throw error;
    return await goOnByAgent(ways, own, { open, options, earlier: [LIST_NOT_OFFERED] });
  }
}

const LIST_NOT_OFFERED: ResumptionStep = { step: "list by the agent", outcome: "not offered" };

const NO_WAY_OF_ITS_OWN: CascadeStep<OpenOutcome> = {
  step: "continue by the agent",
  offered: false,
  run: () => Promise.reject(new ContinuoError("unsupported", "the agent cannot name its last session")),
};

/** The session is known only after the agent has opened it. Errors: those of the step. */
async function goOnByAgent(
  ways: OpeningMethods,
  { step, run }: CascadeStep<OpenOutcome>,
  { open, options, earlier = [] }: Pick<ContinueOptions, "open" | "options" | "earlier">,
): Promise<OpenedSession> {
  const value = await run();
  const { sessionId } = value;
  const mark = await markOf(options, { sessionId, cwd: open.cwd, signal: open.signal });
  const opened: CascadeResult<OpenOutcome> = {
    value,
    happened: "native",
    steps: [{ step, outcome: "done" }],
  };
  const goOn: ContinueOptions = { open, options, from: sessionId, how: "continue" };
  const resumption = resumptionOf(ways, { goOn, opened, mark, before: null, earlier });
  return { sessionId, resumption, before: null, mark };
}

interface ContinueOptions {
  readonly open: OpenRequest;
  readonly options: DriverOptions;
  readonly from: string;
  readonly how: "resume" | "continue" | "fork";
  readonly earlier?: readonly ResumptionStep[];
}

async function goOn(ways: OpeningMethods, goOn: ContinueOptions): Promise<OpenedSession> {
  const { open, options, from, how, earlier = [] } = goOn;
  refuseOption(from);
  const where = { sessionId: from, cwd: open.cwd, signal: open.signal };
  const mark = await readyToResume(await markOf(options, where), goOn);
  const isAbsent =
    mark === null && options.reader !== undefined && (await findOnDisk(options, where)) === null;
  let before: RecordedMessages | null = null;
  const opened = await runCascade<OpenOutcome>({
    agent: ways.agent,
    sessionId: from,
    isAbsent,
    steps: how === "fork" ? ways.fork(from) : ways.resume(from),
    onMissing: open.onMissing ?? "error",
    ...present({ signal: open.signal }),
    begin: () => ways.begin(),
    replay: async () => {
      before = toRecordedMessages(await historyOf(goOn), "all");
      return await ways.begin();
    },
  });
  const { sessionId } = opened.value;
  return { sessionId, resumption: resumptionOf(ways, { goOn, opened, mark, before, earlier }), before, mark };
}

/** Waits until the agent may open the session, and returns its state on disk. */
async function readyToResume(
  mark: DiskMark | null,
  { how, open, options }: ContinueOptions,
): Promise<DiskMark | null> {
  const { reader, places, onWait } = options;
  if (mark === null || how === "fork" || reader?.beforeResume === undefined) return mark;
  const found = await reader.beforeResume(mark.found, places, present({ signal: open.signal, onWait }));
  return { ...mark, found };
}

/** Agents are started with the id among their arguments, so it must not look like an option. Errors: `invalid`. */
function refuseOption(sessionId: string): void {
  if (!sessionId.startsWith("-")) return;
  throw new ContinuoError(
    "invalid",
    `cannot open session ${sessionId}: an agent would take the id for an option`,
  );
}

async function historyOf({ open, options, from }: ContinueOptions) {
  const where = { sessionId: from, cwd: open.cwd, signal: open.signal };
  const messages = await (open.readHistory?.(from) ?? historyOnDisk(options, where));
  if (messages.length > 0) return messages;
  throw new ContinuoError("not_found", `cannot replay session ${from}: it has no messages`);
}

interface Outcome {
  readonly goOn: ContinueOptions;
  readonly opened: CascadeResult<OpenOutcome>;
  readonly mark: DiskMark | null;
  readonly before: RecordedMessages | null;
  readonly earlier: readonly ResumptionStep[];
}

function resumptionOf(ways: OpeningMethods, { goOn, opened, mark, before, earlier }: Outcome): Resumption {
  const { sessionId } = opened.value;
  const { from, how, open } = goOn;
  const isNative = opened.happened === "native";
  const isThere = isNative && how !== "fork" && sessionId === from;
  return {
    requested: how,
    happened: opened.happened,
    ref: {
      agent: ways.name,
      sessionId,
      location: isThere ? (mark?.found.location ?? null) : null,
      cwd: open.cwd,
    },
    verifiedBy: isThere && mark !== null ? "agent and disk" : "agent",
    ...present({
      replayedAs: opened.happened === "replay" ? ("text" as const) : undefined,
      reason: opened.reason,
      omitted: before?.omitted === undefined ? undefined : { ...before.omitted },
    }),
    // A fork that was requested is not reported.
    ...(isNative && how !== "fork" && !isThere ? { forked: { from, to: sessionId } } : {}),
    steps: [...earlier, ...opened.steps],
  };
}
