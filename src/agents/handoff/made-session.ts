/** A new session that is written nowhere yet: read back in a private home, then placed in the user's. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type AgentName, ContinuoError, type Message } from "../../model/index.ts";
import {
  makersOfNow,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  noted,
  placeBeside,
  type RecordedMakers,
  recordMakers,
  takeBackUnfinished,
} from "../adapter/index.ts";
import { differenceBetween, isConversation, type Said, withoutAside } from "../converting/index.ts";
import { readerOf, writerOf } from "../lookup/index.ts";
import { isJson, type Json, type Places } from "../reader/index.ts";
import type { Begun } from "./coming-back.ts";
import { withTip } from "./once-more.ts";
import { type SaidMark, saidBy } from "./source.ts";
import { openScratch, stageRecords } from "./stage.ts";
import { type AgentPrograms, programOf, type Verification, verifyWithAgent } from "./verify.ts";

export interface Making {
  readonly gitBranch: string | null;
  /** Records that the new session begins with; its messages come behind them. */
  readonly back: Begun | null;
  readonly messages: readonly NewMessage[];
  readonly cwd: string;
  readonly title: string;
  readonly places: Places;
  readonly to: AgentName;
}

export interface Made {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly file: string;
  readonly back: Begun | null;
  readonly messages: readonly NewMessage[];
  readonly makers: RecordedMakers;
  readonly places: Places;
}

export async function makeSession(making: Making): Promise<Made> {
  const { gitBranch, back, messages, cwd, title, places, to } = making;
  const writer = await writerOf(to);
  const makers = recordMakers(makersOfNow());
  const session: NewSession = {
    sessionId: writer.newSessionId(makers),
    cwd,
    title,
    gitBranch,
    createdMs: makers.now(),
  };
  makers.mark();
  return { writer, session, file: writer.placeOf(session, places), back, messages, makers, places };
}

/** The same each time, but for the folder and the provenance that the session names. */
export async function recordsOf(
  { writer, back, messages, makers }: Made,
  session: NewSession,
): Promise<Json[]> {
  makers.rewind();
  const begun =
    back === null
      ? writer.begin(session, makers)
      : await withTip({ writer, records: back.records, session, makers, adds: messages.length });
  if (begun === null) throw new Error(`${writer.agent} does not take back what it took back before`);
  const all = [...begun.records];
  let { tip } = begun;
  for (const message of messages) {
    const addition = writer.add(tip, message, makers);
    tip = addition.tip;
    for (const record of addition.records) all.push(record);
  }
  return all;
}

export interface Verified extends Verification {
  readonly said: SaidMark;
}

export interface VerifyOptions {
  readonly by: "agent" | "own";
  readonly programs: AgentPrograms | undefined;
  readonly places: Places;
  readonly signal: AbortSignal | undefined;
}

/** Errors: `verification_failed`. */
export async function verifySession(made: Made, options: VerifyOptions): Promise<Verified> {
  const { writer, session } = made;
  using folder = openScratch();
  const scratch = folder.path;
  // At work in an empty project: an agent that reads the session there loads nothing of the real one.
  const project = join(scratch, "project");
  mkdirSync(project);
  const home: Places = { home: scratch, env: {} };
  const staged = { ...session, cwd: project };
  const records = await recordsOf(made, staged);
  const file = await stageRecords({ writer, session: staged, records, home });
  const own = await readBack(made, file, home);
  const program = options.by === "own" ? null : programOf(writer.agent, options.places, options.programs);
  const { read, ...verified } = own;
  if (program === null) return verified;
  const told = await verifyWithAgent(writer.agent, withoutAside(saidOf(made, isSeen), read), {
    ...{ file, home, project, program, scratch },
    searchPath: options.places.env.PATH ?? "",
    sessionId: session.sessionId,
    signal: options.signal,
  });
  return { ...told, said: own.said };
}

function saidOf(
  { back, messages }: Made,
  isTold: (message: Message) => boolean = () => true,
): readonly Said[] {
  const before: readonly Message[] = back?.history ?? [];
  return [...before.filter((message) => isConversation(message) && isTold(message)), ...messages];
}

/** Whether the agent itself reads the message where it came back as it was. */
function isSeen({ metadata }: Message): boolean {
  return Object.values(metadata).every((flags) => !isJson(flags) || flags.lostOnResume !== true);
}

interface ReadBack extends Verified {
  readonly read: readonly Message[];
}

async function readBack(made: Made, file: string, home: Places): Promise<ReadBack> {
  const reader = await readerOf(made.writer.agent);
  const found = await reader.recognise(file, home);
  if (found === null) {
    throw new ContinuoError("verification_failed", "what was written is no session", {
      hint: "Nothing was written.",
    });
  }
  using opened = await reader.open(found, home, {});
  const read = await Array.fromAsync(opened.history());
  const difference = differenceBetween(saidOf(made), read);
  if (difference === null) {
    return { by: "continuo", outcome: "same", messages: read.length, said: saidBy(reader, read), read };
  }
  throw new ContinuoError("verification_failed", `what was written reads differently: ${difference}`, {
    hint: "Nothing was written. `session check` tells whether the source is damaged, `session repair` makes it whole.",
  });
}

/**
 * Marks of a folder come before the session, titles after it: neither does harm alone. Errors: `unwritable`,
 * `unsupported`, `conflict`.
 */
export async function placeSession(made: Made, provenance: Json | null): Promise<void> {
  const { writer, file } = made;
  const session = provenance === null ? made.session : { ...made.session, provenance };
  const records = await recordsOf(made, session);
  const besides = writer.besideNew?.(session, file) ?? [];
  takeBackUnfinished(made.places, null);
  for (const beside of besides) if (beside.how === "create") placeBeside(made.places, beside);
  const sink = await writer.openSink(file, session.sessionId, made.places);
  try {
    noted(made.places, { how: "create", path: file }, () => sink.create(records));
  } finally {
    sink.close();
  }
  for (const beside of besides) if (beside.how === "append") placeBeside(made.places, beside);
}
