/** Compares the abilities that an agent reports with what it really does, step by step. No model is asked. */

import { type AgentProgram, type OpenAgentOptions, openAgent } from "@continuo/agents/drivers";
import { writeNativeSession } from "@continuo/agents/handoff";
import {
  type AgentDriver,
  type Conversation,
  isAgentName,
  isContinuoError,
  type Message,
  messageOf,
  type OpenConversation,
  type SessionCapabilities,
} from "@continuo/core/model";
import type { Scratch } from "./scratch.ts";

export type StepName =
  | "start"
  | "new"
  | "list"
  | "load"
  | "resume"
  | "continue"
  | "fork"
  | "close"
  | "delete";

export interface ExaminedStep {
  readonly step: StepName;
  /** True if the agent reports the ability; `null` for an ability that every agent must have. */
  readonly advertised: boolean | null;
  readonly outcome: "works" | "fails" | "not offered" | "not tried";
  /** The reason in one sentence; `null` if it works. */
  readonly reason: string | null;
}

export interface Examination {
  readonly capabilities: SessionCapabilities;
  readonly steps: readonly ExaminedStep[];
}

export interface ExamineOptions {
  readonly program: AgentProgram;
  /** The options of the configuration. */
  readonly driving: OpenAgentOptions;
  readonly scratch: Scratch;
  /** The time limit for each answer. */
  readonly limitMs: number;
  readonly onStep: (step: ExaminedStep) => void;
  readonly signal?: AbortSignal;
}

/** Errors: `agent_failed` if it cannot even be started. */
export async function examine({
  program,
  driving,
  scratch,
  limitMs,
  onStep,
  signal,
}: ExamineOptions): Promise<Examination> {
  const { places, project: cwd } = scratch;
  const driver = await openAgent(program.agent, {
    ...driving,
    places,
    env: { ...driving.env, ...scratch.env },
    limits: { startMs: limitMs, openMs: limitMs, callMs: limitMs },
  });
  const aborting = signal === undefined ? {} : { signal };
  const capabilities = await driver.capabilities({ cwd, ...aborting });
  const steps: ExaminedStep[] = [];
  const tell = (step: ExaminedStep): void => {
    steps.push(step);
    onStep(step);
  };
  tell({ step: "start", advertised: null, outcome: "works", reason: null });
  const patient: Patient = { driver, capabilities, cwd, aborting, tell };
  const made = await tryNew(patient);
  const known = made === null ? null : await enterable(patient, { made, agent: program.agent, scratch });
  await tryKnown(patient, { sessionId: known, isSpoken: known !== made });
  await tryDelete(patient, known);
  return { capabilities, steps };
}

interface Patient {
  readonly driver: AgentDriver;
  readonly capabilities: SessionCapabilities;
  readonly cwd: string;
  readonly aborting: { readonly signal?: AbortSignal };
  readonly tell: (step: ExaminedStep) => void;
}

/**
 * Tries a new session, the list while the agent's program runs, and closing. Returns the session's id; `null` if there
 * is no session.
 */
async function tryNew(patient: Patient): Promise<string | null> {
  const { driver, capabilities, cwd, aborting, tell } = patient;
  let conversation: Conversation;
  try {
    conversation = await driver.open({ cwd, ...aborting });
  } catch (error) {
    tell(failed("new", null, error));
    return null;
  }
  const { sessionId } = conversation;
  tell({ step: "new", advertised: null, outcome: "works", reason: null });
  await attempt(patient, { step: "list", advertised: capabilities.canList }, async () => {
    await driver.listSessions({ cwd, ...aborting });
  });
  await attempt(patient, { step: "close", advertised: capabilities.canClose || null }, () =>
    conversation.close(),
  );
  return sessionId;
}

interface ExaminedSession {
  readonly made: string;
  readonly agent: string;
  readonly scratch: Scratch;
}

/**
 * Returns a session that the agent keeps. Many agents keep no session without a message; then we write a session with
 * one turn, if we know the agent's files.
 */
async function enterable(patient: Patient, { made, agent, scratch }: ExaminedSession): Promise<string> {
  if (!isAgentName(agent)) return made;
  const { driver, cwd, aborting, capabilities } = patient;
  try {
    const wantHistory = !capabilities.canResume;
    await using _kept = await driver.open({ cwd, resumeSessionId: made, wantHistory, ...aborting });
    return made;
  } catch {
    // The agent does not keep the session, which is not a fault.
    const { project, places } = scratch;
    const { ref } = await writeNativeSession(SAID, { to: agent, cwd: project, title: TITLE, places });
    return ref.sessionId;
  }
}

const TITLE = "made by continuo agents doctor";

const SAID: readonly Message[] = [
  { id: "1", role: "user", content: [{ type: "text", text: "Say hello." }], metadata: {} },
  { id: "2", role: "assistant", content: [{ type: "text", text: "Hello." }], metadata: {} },
];

interface ExaminedState {
  readonly sessionId: string | null;
  /** True if the session has a turn: only such a session can be continued as the last one. */
  readonly isSpoken: boolean;
}

async function tryKnown(patient: Patient, { sessionId, isSpoken }: ExaminedState): Promise<void> {
  const { canLoad, canResume, canContinueLast, canFork } = patient.capabilities;
  const none = sessionId === null ? "there is no session" : null;
  const of = { resumeSessionId: sessionId ?? "" };
  const ways: readonly (readonly [StepName, boolean, Partial<OpenConversation>])[] = [
    ["load", canLoad, { ...of, wantHistory: true }],
    ["resume", canResume, { ...of, wantHistory: false }],
    ["continue", canContinueLast, { continueLast: true }],
    ["fork", canFork, { forkSessionId: sessionId ?? "" }],
  ];
  const silent = isSpoken ? none : "there is no session with a message, and no model is asked";
  for (const [step, advertised, open] of ways) {
    await attempt(patient, { step, advertised, none: step === "continue" ? silent : none }, () =>
      enter(patient, step, open),
    );
  }
}

/** Fails also if the agent opened another session than requested, or in another way. Errors: those of opening. */
async function enter(
  { driver, cwd, aborting }: Patient,
  step: StepName,
  open: Partial<OpenConversation>,
): Promise<void> {
  await using conversation = await driver.open({ cwd, ...open, ...aborting });
  const { happened, steps = [] } = conversation.resumption;
  const done = steps.findLast(({ outcome }) => outcome === "done")?.step ?? happened;
  if (happened !== "native") throw new Error(`it began a new session (${done})`);
  const isOtherWay =
    (step === "load" && !/load|replay/u.test(done)) || (step === "resume" && /load|replay/u.test(done));
  if (!isOtherWay) return;
  const refused = steps.find(({ outcome }) => outcome === "failed");
  throw new Error(refused?.reason ?? `it resumed by ${done}`);
}

async function tryDelete(patient: Patient, sessionId: string | null): Promise<void> {
  const { driver, capabilities, cwd, aborting } = patient;
  const remove: unknown = Reflect.get(driver, "deleteSession");
  const none =
    typeof remove !== "function"
      ? "Continuo does not use this; it moves the files to its trash itself"
      : sessionId === null
        ? "there is no session"
        : null;
  await attempt(patient, { step: "delete", advertised: capabilities.canDelete, none }, async () => {
    if (typeof remove === "function") await remove.call(driver, sessionId, { cwd, ...aborting });
  });
}

interface Attempt {
  readonly step: StepName;
  readonly advertised: boolean | null;
  /** The reason why the ability cannot be tried. */
  readonly none?: string | null;
}

async function attempt(
  { tell, aborting }: Patient,
  { step, advertised, none = null }: Attempt,
  work: () => Promise<void>,
): Promise<void> {
  if (advertised === false) {
    tell({ step, advertised, outcome: "not offered", reason: null });
    return;
  }
  if (none !== null) {
    tell({ step, advertised, outcome: "not tried", reason: none });
    return;
  }
  try {
    await work();
    tell({ step, advertised, outcome: "works", reason: null });
  } catch (error) {
    aborting.signal?.throwIfAborted();
    tell(failed(step, advertised, error));
  }
}

const MAX_REASON_CHARS = 400;

function failed(step: StepName, advertised: boolean | null, error: unknown): ExaminedStep {
  const message = messageOf(error);
  const hint = isContinuoError(error) && error.hint !== undefined ? ` ${error.hint}` : "";
  return { step, advertised, outcome: "fails", reason: `${message}${hint}`.slice(0, MAX_REASON_CHARS) };
}
