/** A new session before it is written: it is read back in a private home, then placed in the user's. */

import { join } from "node:path";
import { type AgentName, ContinuoError, type Message } from "@continuo/core/model";
import { isJson, type Json, makeScratchFolder, openScratch, type Places } from "@continuo/files";
import { formatOf } from "@continuo/native";
import { type PlaceOptions, placeSession, stageRecords } from "@continuo/native/editing/placing";
import type { AgentReader } from "@continuo/native/kit";

import {
  type ChildRecords,
  freezeMakers,
  type Makers,
  makersOfNow,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  type SideFile,
} from "@continuo/native/writing";
import {
  differenceFromSaid,
  isConversation,
  type SpokenMessage,
  selectMessages,
  withoutAside,
} from "./converting/index.ts";
import { type ReturnStart, withTip } from "./returning/index.ts";
import { type MessagesMark, openShelf, type Shelf, saidBy } from "./source/index.ts";
import { type AgentPrograms, programOf, type Verification, verifyWithAgent } from "./verify.ts";

export interface MakeSessionOptions {
  readonly gitBranch: string | null;
  /** The records with which the new session begins, before its messages. */
  readonly back: ReturnStart | null;
  readonly messages: readonly NewMessage[];
  readonly cwd: string;
  readonly title: string;
  readonly places: Places;
  readonly to: AgentName;
}

export interface WriterSession {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly file: string;
  readonly back: ReturnStart | null;
  readonly messages: readonly NewMessage[];
  /** Returns makers that give the same values each time. */
  readonly makers: () => Makers;
  readonly places: Places;
}

export async function makeSession(making: MakeSessionOptions): Promise<WriterSession> {
  const { gitBranch, back, messages, cwd, title, places, to } = making;
  const writer = await (await formatOf(to)).writer();
  const makers = makersOfNow();
  const session: NewSession = {
    sessionId: writer.newSessionId(makers),
    cwd,
    title,
    gitBranch,
    createdMs: makers.now(),
  };
  const file = writer.placeOf(session, places);
  return { writer, session, file, back, messages, makers: freezeMakers(makers), places };
}

/** Returns the same records each time, except for the folder and the provenance that the session names. */
export async function recordsOf(
  { writer, back, messages, makers: toMakers }: WriterSession,
  session: NewSession,
): Promise<Iterable<Json>> {
  const makers = toMakers();
  const begun =
    back === null
      ? writer.begin(session, makers)
      : await withTip({ writer, records: back.records, session, makers, adds: messages.length });
  if (begun === null) throw new Error(`${writer.agent} does not accept records that it accepted before`);
  return added(writer, { ...begun, messages, makers });
}

interface AddedRecords {
  readonly records: readonly Json[];
  readonly tip: unknown;
  readonly messages: readonly NewMessage[];
  readonly makers: Makers;
}

/** The records of each message, made on request. */
function* added(writer: NativeWriter<unknown>, adding: AddedRecords): Generator<Json, void, void> {
  yield* adding.records;
  let { tip } = adding;
  for (const message of adding.messages) {
    const addition = writer.add(tip, message, adding.makers);
    tip = addition.tip;
    yield* addition.records;
  }
}

/** The new session in a scratch folder, as Continuo's own reader reads it there. */
export interface StagedSession extends Disposable {
  readonly made: WriterSession;
  readonly history: readonly Message[];
  /** The messages that the agent would send to its model. */
  readonly view: readonly Message[];
  readonly said: MessagesMark;
  readonly file: string;
  readonly home: Places;
  readonly project: string;
}

/** Errors: `verification_failed` if the session that is read back differs from the one that was written. */
export async function stageSession(
  made: WriterSession,
  openOne: () => Shelf = () => openShelf("memory"),
): Promise<StagedSession> {
  const { writer } = made;
  using stack = new DisposableStack();
  const folder = stack.use(openScratch());
  // The session is in an empty project, so an agent that reads it there loads nothing of the real project.
  const project = join(folder.path, "project");
  makeScratchFolder(project);
  const home: Places = { home: folder.path, env: {} };
  const staged = { ...made.session, cwd: project };
  const records = await recordsOf(made, staged);
  const file = stageRecords({ writer, session: staged, records, home });
  const reader = await formatOf(writer.agent);
  const history = await readBack({ reader, file, home, shelf: stack.use(openOne()) });
  const difference = differenceFromSaid(saidOf(made), history);
  if (difference !== null) {
    throw new ContinuoError(
      "verification_failed",
      `verification failed: the new session differs when read back: ${difference}; nothing was written`,
      {
        hint: "Run `continuo session check` to see whether the source is damaged, and `continuo session repair` to repair it.",
      },
    );
  }
  const view = reader.modelView(history);
  const all = stack.move();
  return {
    made,
    history,
    view,
    said: saidBy(history, view),
    file,
    home,
    project,
    [Symbol.dispose]: () => all.dispose(),
  };
}

interface ReadBackOptions {
  readonly reader: AgentReader;
  readonly file: string;
  readonly home: Places;
  readonly shelf: Shelf;
}

async function readBack({ reader, file, home, shelf }: ReadBackOptions): Promise<readonly Message[]> {
  const found = await reader.recognise(file, home);
  if (found === null) {
    throw new ContinuoError(
      "verification_failed",
      "verification failed: the written file is not a session; nothing was written",
      {
        hint: "Try again; nothing was written.",
      },
    );
  }
  using opened = await reader.open(found, home, { keep: "all" });
  return await Array.fromAsync(opened.history(), shelf.keep);
}

export interface VerifyOptions {
  readonly by: "agent" | "own";
  readonly programs: AgentPrograms | undefined;
  readonly places: Places;
  readonly signal: AbortSignal | undefined;
}

/** Verifies with the agent if it is installed, after Continuo's own reader. Errors: `verification_failed`. */
export async function verifySession(staged: StagedSession, options: VerifyOptions): Promise<Verification> {
  const { made, history, view, file, home, project } = staged;
  const { writer, session } = made;
  const program = options.by === "own" ? null : programOf(writer.agent, options.places, options.programs);
  if (program === null) return { by: "continuo", outcome: "same", messages: history.length };
  const written = {
    view,
    spoken: {
      history: withoutAside(saidOf(made, isSeen), history),
      "history without summaries": withoutAside(
        saidOf(made, (message) => isSeen(message) && message.origin !== "summary"),
        history,
      ),
      "model view": withoutAside(selectMessages(history, view).messages, history),
    },
    messages: history.length,
  };
  return await verifyWithAgent(writer.agent, written, {
    file,
    home,
    project,
    program,
    scratch: home.home,
    searchPath: options.places.env.PATH ?? "",
    sessionId: session.sessionId,
    cache: options.places.env.XDG_CACHE_HOME || join(options.places.home, ".cache"),
    signal: options.signal,
  });
}

function saidOf(
  { back, messages }: WriterSession,
  isTold: (message: Message) => boolean = () => true,
): readonly SpokenMessage[] {
  const before: readonly Message[] = back?.history ?? [];
  return [...before.filter((message) => isConversation(message) && isTold(message)), ...messages];
}

/** Returns true if the agent itself reads a message that came back unchanged. */
function isSeen({ metadata }: Message): boolean {
  return Object.values(metadata).every((flags) => !isJson(flags) || flags.lostOnResume !== true);
}

/** The conversations of sub-agents that are placed with the session. */
export interface PlacedSubagents {
  readonly files: readonly SideFile[];
  readonly children: readonly ChildRecords[];
}

/** Places the session and returns its location. Errors: `unwritable`, `unsupported`, `conflict`. */
export async function placeMade(
  made: WriterSession,
  {
    provenance,
    subagents = { files: [], children: [] },
    ...placing
  }: Pick<PlaceOptions, "key" | "around"> & {
    readonly provenance: Json | null;
    readonly subagents?: PlacedSubagents;
  },
): Promise<string> {
  const { writer, file, places } = made;
  const session = provenance === null ? made.session : { ...made.session, provenance };
  const records = withChildren(await recordsOf(made, session), subagents.children);
  return await placeSession({
    writer,
    session,
    file,
    records,
    places,
    children: subagents.files,
    ...placing,
  });
}

/** The records of the session, then those of its sub-agents. */
function* withChildren(
  records: Iterable<Json>,
  children: readonly ChildRecords[],
): Generator<Json, void, void> {
  for (const record of records) yield children.reduce((linked, child) => child.linked(linked), record);
  for (const child of children) yield* child.records;
}
