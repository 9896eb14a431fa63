/** A conversation goes on in another agent: as a new native session of that agent. The source is only read. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type AgentName, ContinuoError } from "../model/index.ts";
import {
  type BesideFile,
  type Makers,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  writeBeside,
} from "./adapter/index.ts";
import { placesOfThisUser } from "./environment.ts";
import {
  convertMessages,
  differenceBetween,
  excessOf,
  type MaxLoss,
  type Receipt,
  toReceipt,
} from "./handoff/index.ts";
import { type LookupOptions, lookUpSession, type SessionRef } from "./lookup.ts";
import { makersOfNow, recordMakers } from "./makers.ts";
import { writeProvenance } from "./provenance.ts";
import type { Json, Places } from "./reader/index.ts";
import { readerOf } from "./readers.ts";
import { resumeCommandOf } from "./resume-command.ts";
import { type HandOffSource, readSource, type SourceOptions } from "./source.ts";
import { type AgentPrograms, programOf, type Verification, verifyWithAgent } from "./verify.ts";
import { writerOf } from "./writers.ts";

export interface HandOffOptions extends LookupOptions, SourceOptions {
  readonly to: AgentName;
  /** Where the new session works; the source's own when left out. */
  readonly cwd?: string;
  /** How much of each kind may be noted or dropped; no limit where none is given. */
  readonly maxLoss?: MaxLoss;
  /** `receipt`: nothing is written. */
  readonly until?: "receipt" | "written";
  /** `agent`: by the target's own reader where it is installed, and by ours; `own`: by ours alone. */
  readonly verifyBy?: "agent" | "own";
  /** How agents are started, where not by their names. */
  readonly programs?: AgentPrograms;
}

export interface HandOff {
  readonly agent: AgentName;
  /** `null` where nothing was written; so are the next two. */
  readonly sessionId: string | null;
  readonly location: string | null;
  readonly resumeCommand: readonly string[] | null;
  /** The folder to resume in. */
  readonly cwd: string;
  readonly title: string;
  readonly receipt: Receipt;
  readonly verification: Verification | null;
}

/**
 * Errors: those of a lookup; `usage` for a target that is the source, `not_found` for a folder or a message
 * that is not there, `invalid` for a session with nothing that a model reads, `fidelity` with
 * `details.lost` by kind, `verification_failed`, `unwritable`, `unsupported`. Nothing is written then.
 */
export async function handOff(ref: SessionRef, options: HandOffOptions): Promise<HandOff> {
  const places = options.places ?? placesOfThisUser();
  const lookup = await lookUpSession(ref, { ...options, places });
  const source = await readSource(lookup, places, options);
  const { messages, records } = convertMessages(source.messages, options.to);
  const receipt = toReceipt([...source.left, ...records]);
  if (messages.length === 0) {
    throw new ContinuoError("invalid", "the session holds nothing that a model reads", {
      details: { receipt },
    });
  }
  const cwd = folderOf(source, options);
  const title = titleOf(source);
  const unwritten = { agent: options.to, cwd, title, receipt, verification: null };
  const lost = excessOf(receipt, options.maxLoss ?? {});
  if (Object.keys(lost).length > 0) throw fidelityError(lost, receipt);
  if (options.until === "receipt") {
    return { ...unwritten, sessionId: null, location: null, resumeCommand: null };
  }
  const made = await make({ source, messages, cwd, title, places, to: options.to });
  const verification = await verify(made, places, options);
  const location = await place(made);
  const { sessionId } = made.session;
  writeProvenance({ source, agent: options.to, sessionId, location, receipt }, places);
  const resumeCommand = resumeCommandOf({ agent: options.to, sessionId, location });
  return { ...unwritten, sessionId, location, resumeCommand, verification };
}

function fidelityError(lost: MaxLoss, receipt: Receipt): ContinuoError {
  const what = Object.entries(lost).map(([kind, count]) => `${count} ${kind}`);
  return new ContinuoError("fidelity", `more would be lost than is allowed: ${what.join(", ")}`, {
    hint: "`--dry-run` shows what, and why. Nothing was written.",
    details: { lost, receipt },
  });
}

/** Errors: `not_found`, `usage`. */
function folderOf(source: HandOffSource, options: HandOffOptions): string {
  const given = options.cwd ?? source.cwd;
  if (given === null) {
    throw new ContinuoError("usage", "the session does not tell its folder", {
      hint: "Give one with --cwd.",
    });
  }
  const cwd = isAbsolute(given) ? given : resolve(given);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return cwd;
  throw new ContinuoError("not_found", `the folder ${cwd} is not there`, {
    hint: "Make it, or name another one with --cwd.",
  });
}

const MAX_TITLE_CHARS = 120;

function titleOf({ agent, title, sessionId }: HandOffSource): string {
  return `from ${agent}: ${(title ?? sessionId).slice(0, MAX_TITLE_CHARS)}`.toWellFormed();
}

interface Making {
  readonly source: HandOffSource;
  readonly messages: readonly NewMessage[];
  readonly cwd: string;
  readonly title: string;
  readonly places: Places;
  readonly to: AgentName;
}

/** A session that is written nowhere yet. */
interface Made {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly messages: readonly NewMessage[];
  /** The same bytes each time, but for the folder that they name. */
  readonly toRecords: (cwd: string) => readonly Json[];
  readonly file: string;
  readonly besides: readonly BesideFile[];
}

async function make({ source, messages, cwd, title, places, to }: Making): Promise<Made> {
  const writer = await writerOf(to);
  const makers = recordMakers(makersOfNow());
  const { agent, location, records, sha256 } = source;
  const provenance = { from: agent, sessionId: source.sessionId, location, records, sha256 };
  const session: NewSession = {
    sessionId: writer.newSessionId(makers),
    cwd,
    title,
    gitBranch: source.gitBranch,
    createdMs: makers.now(),
    provenance,
  };
  makers.mark();
  const toRecords = (folder: string): readonly Json[] => {
    makers.rewind();
    return recordsOf(writer, { ...session, cwd: folder }, messages, makers);
  };
  const file = writer.placeOf(session, places);
  return { writer, session, messages, toRecords, file, besides: writer.besideNew?.(session, file) ?? [] };
}

function recordsOf(
  writer: NativeWriter<unknown>,
  session: NewSession,
  messages: readonly NewMessage[],
  makers: Makers,
): readonly Json[] {
  let { tip, records } = writer.begin(session, makers);
  const all = [...records];
  for (const message of messages) {
    ({ tip, records } = writer.add(tip, message, makers));
    for (const record of records) all.push(record);
  }
  return all;
}

/** Errors: `verification_failed`. */
async function verify(made: Made, places: Places, options: HandOffOptions): Promise<Verification> {
  const { agent } = made.writer;
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "continuo-handoff-")));
  try {
    const staged = await stage(made, scratch);
    const own = await readBack(made, staged);
    const program = options.verifyBy === "own" ? null : programOf(agent, places, options.programs);
    if (program === null) return own;
    return await verifyWithAgent(agent, made.messages, {
      ...staged,
      program,
      searchPath: places.env.PATH ?? "",
      scratch,
      sessionId: made.session.sessionId,
      signal: options.signal,
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

async function readBack({ writer, messages }: Made, { file, home }: Staged): Promise<Verification> {
  const reader = await readerOf(writer.agent);
  const found = await reader.recognise(file, home);
  if (found === null) throw new ContinuoError("verification_failed", "what was written is no session");
  using opened = await reader.open(found, home, {});
  const read = await Array.fromAsync(opened.history());
  const difference = differenceBetween(messages, read);
  if (difference === null) return { by: "continuo", outcome: "same", messages: read.length };
  throw new ContinuoError("verification_failed", `what was written reads differently: ${difference}`, {
    hint: "Nothing was written.",
  });
}

interface Staged {
  readonly file: string;
  readonly home: Places;
  readonly project: string;
}

/**
 * The new session alone, in a home of its own, at work in an empty project: an agent that reads it there
 * loads nothing of the real one.
 */
async function stage({ writer, session, toRecords }: Made, scratch: string): Promise<Staged> {
  const home: Places = { home: scratch, env: {} };
  const project = join(scratch, "project");
  mkdirSync(project);
  const staged = { ...session, cwd: project };
  const records = toRecords(project);
  if (writer.stage !== undefined) {
    const file = join(scratch, "session.json");
    writeBeside({ how: "create", path: file, text: writer.stage(records, staged) });
    return { file, home, project };
  }
  const file = writer.placeOf(staged, home);
  for (const beside of writer.besideNew?.(staged, file) ?? []) writeBeside(beside);
  const sink = await writer.openSink(file, session.sessionId);
  sink.create(records);
  sink.close();
  return { file, home, project };
}

/** Marks of a folder come before the session, titles after it: neither does harm alone. */
async function place({ writer, session, toRecords, file, besides }: Made): Promise<string> {
  for (const beside of besides) if (beside.how === "create") writeBeside(beside);
  const sink = await writer.openSink(file, session.sessionId);
  try {
    sink.create(toRecords(session.cwd));
  } finally {
    sink.close();
  }
  for (const beside of besides) if (beside.how === "append") writeBeside(beside);
  return writer.locationOf(file, session.sessionId);
}
