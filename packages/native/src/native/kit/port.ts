/** The types of the port; `index.ts` says what they promise. */

import type { FoundFile, Places } from "@continuo/files";

export type { FoundFile, Places } from "@continuo/files";

import type {
  AgentName,
  Entry,
  Leaf,
  Message,
  Problem,
  SessionDetails,
  SessionInfo,
  ToolDefinition,
} from "@continuo/core/model";
import type { SavedScan, ScanPosition } from "./saved-scan.ts";
import type { TestBytes } from "./test-bytes.ts";
import type { TrashPlan } from "./trash-plan.ts";

export interface FindOptions {
  /** Only sessions of this folder, symbolic links resolved and by the agent's own naming rules. */
  readonly cwd?: string;
  /**
   * Also returns sub-agents with separate files, each marked with its `parentId`. By default they do not count as
   * sessions.
   */
  readonly subagents?: "include";
  readonly memo?: SkimMemo;
  readonly signal?: AbortSignal;
}

export interface FindBatchOptions extends FindOptions {
  /** The stored lines of sessions. A session with a valid line is returned as known, and is not read. */
  readonly files: KnownFiles;
}

/**
 * The lines of files, as an index stores them. A number, the place of its line, names a file, because an object for each
 * of thousands of files would be most of the work of a list.
 */
export interface KnownFiles {
  /** Looks at the file. Returns the place of its line if the file is as it was when the line was kept, else -1. */
  placeOf(path: string): number;
  pathAt(place: number): string;
  lineAt(place: number): string;
  fileAt(place: number): FoundFile;
  /** Keeps the line of a file. It may depend only on the path and the bytes of this file. */
  keep(file: FoundFile, line: string): void;
}

/** The sessions of a folder, each either found or known. */
export interface FoundBatch {
  readonly found: readonly FoundSession[];
  /** Sessions of one file, without sub-agents, by the places of their lines. */
  readonly known: readonly number[];
  /** The `cwd` of each known session; left out if their place does not say it. */
  readonly cwd?: string;
  isArchived(known: number): boolean;
  /** Returns what `find` returns for a known session of this batch. */
  toFound(known: number): FoundSession;
}

/** A session on disk that is not yet read. */
export interface FoundSession {
  readonly agent: AgentName;
  /** The id from the name of the file or folder, or from the first record if the name has none. */
  readonly sessionId: string;
  /** The file that a person would name; for a database `PATH#ID`. */
  readonly location: string;
  /** Every file that the session itself is made of, oldest first; the last one is written to now. */
  readonly files: readonly FoundFile[];
  readonly archived: boolean;
  readonly live: boolean | null;
  /** The session's folder, if the place of its files says it. */
  readonly cwd?: string;
  /** The session that started it, for a sub-agent. */
  readonly parentId?: string;
  /** The reason why the session cannot even be read, if there is one; it is listed nevertheless. */
  readonly problems: readonly Problem[];
}

/**
 * The facts about files that were found before. Answers are JSON, and depend only on the bytes of the files
 * named.
 */
export interface SkimMemo {
  /**
   * An answer about the `whole` of a file answers a question about its `ends` too. An answer of `undefined` is
   * not kept.
   */
  remember<T>(files: FoundFile | readonly FoundFile[], key: MemoKey, compute: () => Promise<T>): Promise<T>;
  /**
   * A short answer if it is in memory, or else `undefined`. It is for a caller that asks about thousands of files, for
   * which promises would be most of the work.
   */
  known?<T>(file: FoundFile, key: MemoKey): T | undefined;
}

/** A memo for a caller that stores nothing. */
export const NO_MEMO: SkimMemo = { remember: (_file, _what, compute) => compute() };

/** A memo that outlives the process. */
export interface SavedSkimMemo extends SkimMemo {
  /** The lines by which lists know sessions. */
  knownFiles(): Promise<KnownFiles>;
  /** The next questions are about these files and few others, so not all answers have to be read. */
  expect(files: readonly FoundFile[]): Promise<void>;
  /**
   * Writes the new records. After a list of `everything`, files that it did not ask about and that are gone are
   * forgotten. A memo that cannot be written does not cause an error: the next list computes again.
   */
  save(asked: "everything" | "part"): Promise<void>;
}

export interface MemoKey {
  readonly what: string;
  readonly part?: "ends" | "whole";
  /** The answer is short, and needed for every file: it is kept while all files are read at once. */
  readonly isBrief?: boolean;
}

export interface SkimOptions {
  /**
   * `ends` is enough to sort and filter: it stops when the times are known, and may miss a title; `whole`
   * searches the bytes between for that.
   */
  readonly part: "ends" | "whole";
  readonly memo?: SkimMemo;
  /** The titles of `titlesBeside`, for a caller that skims many sessions; the skim looks for them by default. */
  readonly titleBeside?: FindTitle;
  readonly signal?: AbortSignal;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /**
   * Read only about this many bytes at the end: enough for the newest messages. `details`,
   * `leaves` and `problems` then describe only that part, and `partial` is true.
   */
  readonly newestBytes?: number;
  /** `all`: the caller reads all records several times, so they are kept in memory for larger sessions too. */
  readonly keep?: "all";
  /** Put the state of the scan into `saved`, so that it can be continued when the session has grown. */
  readonly save?: boolean;
  /** Read only what came after an earlier scan. A file that does not continue the saved state is read as a whole. */
  readonly continue?: SavedScan;
}

export interface HistoryOptions {
  /** Id of a leaf; the active one by default. Errors: `not_found`. */
  readonly leaf?: string;
  /** Put the native records into `metadata.native`. */
  readonly native?: boolean;
  /**
   * Only messages with a record after this position: new ones, and those that grew. For sessions without positions, all
   * messages.
   */
  readonly after?: ScanPosition;
  readonly signal?: AbortSignal;
}

/** Messages that are made of the same records. */
export interface StepMessages {
  readonly step: number;
  readonly messages: readonly Message[];
}

/** A history as steps, so that a caller can read only a part of it. */
export interface HistorySteps {
  /**
   * For each step, a key for its records. A history that begins with the same keys, over the same records, begins with
   * the same messages.
   */
  readonly keys: readonly string[];
  /** For each step, the last line of the file that is written to now; 0 where all is in other files. */
  readonly lastLines: readonly number[];
  /**
   * The requested steps, in order. Their messages are those of the history, except that `parentId` is missing, and that
   * a result whose call is in an earlier step may lack `toolName` and `toolInput`.
   */
  read(
    isWanted: (step: number) => boolean,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<StepMessages, void, void>;
}

/** Files of other sessions that a history begins in. */
export interface AncestorFiles {
  /** The files in their state before they were read. */
  readonly there: readonly FoundFile[];
  /** The names of the files that were not found: `AgentReader.fileIdOf`. */
  readonly gone: readonly string[];
}

export interface OpenedSession {
  readonly details: SessionDetails;
  /** The active leaf first, then the others, newest first. */
  readonly leaves: readonly Leaf[];
  readonly problems: readonly Problem[];
  readonly partial: boolean;
  /** With `save`: `null` for a source that cannot be continued (a database, a compressed file, a part of a file). */
  readonly saved: SavedScan | null;
  /** True if the scan continued the state in `continue`. */
  readonly continued: boolean;
  /** Left out for agents whose sessions hold all of their history. */
  readonly filesBefore?: AncestorFiles;
  /** Every record in file order, verbatim. */
  entries(signal?: AbortSignal): AsyncGenerator<Entry, void, void>;
  /**
   * Records of other sessions that this one's history begins in, up to where it continues by itself, in their
   * order; left out for agents whose sessions hold all of their history.
   */
  entriesBefore?(signal?: AbortSignal): AsyncGenerator<Entry, void, void>;
  /**
   * The messages from the root to a leaf, in order: everything on that path, also what was injected, and
   * what a compaction took out of the model's sight.
   */
  history(options?: HistoryOptions): AsyncGenerator<Message, void, void>;
  /**
   * The tools that the agent offered its model, each once, as far as its files define them; left out if they define
   * none.
   */
  tools?(signal?: AbortSignal): Promise<readonly ToolDefinition[]>;
  /** The history to a leaf in steps; left out for agents whose sessions cannot be continued. */
  steps?(leaf: string): HistorySteps;
  close(): void;
  [Symbol.dispose](): void;
}

export interface BeforeResumeOptions {
  readonly signal?: AbortSignal;
  /** Called before a deliberate wait. */
  readonly onWait?: (waitMs: number) => void;
}

/** A program of the agent that Continuo started, and that has ended. */
export interface EndedProgram {
  readonly cwd: string;
  /** The ids of the sessions that it began or opened. */
  readonly sessionIds: readonly string[];
  readonly startedAtMs: number;
}

export interface LineMessage {
  /** With the texts of the line and their origin; its id and its links may differ from those of a history. */
  readonly message: Message;
  /** True if a history of the session contains these texts, independently of its other lines. */
  isKept(): boolean;
}

/** Reads single lines, for a search for a word: the search looks only at the lines that contain the word. Pure. */
export interface LineReader {
  /** False for a session in which lines change the content of other lines, or whose file has several sessions. */
  isPlain(found: FoundSession, bytes: Buffer): boolean;
  /**
   * Every message that the line may become a part of; no text of the session comes from anywhere else. `null` if the
   * line by itself does not show this.
   *
   * @param bytes the file, in which an id may occur again
   */
  messagesOf(value: unknown, bytes: Buffer): readonly LineMessage[] | null;
}

export type FindTitle = (found: Pick<FoundSession, "sessionId" | "location">) => string | null;

export interface AgentReader {
  readonly agent: AgentName;
  /** Returns the folders in which `find` looks, to explain why it found nothing. */
  folders?(places: Places): readonly string[];
  /** Sessions in no particular order; archived ones too, marked. A place that does not exist holds none. */
  find(places: Places, options: FindOptions): AsyncGenerator<FoundSession, void, void>;
  /**
   * The sessions of `find`, for callers that have stored the lines of most sessions. Absent if sessions are not files.
   */
  findBatches?(places: Places, options: FindBatchOptions): AsyncGenerator<FoundBatch, void, void>;
  /** Returns the session to which a file belongs, wherever the file is; `null` if it does not belong to this agent. */
  recognise(path: string, places: Places): Promise<FoundSession | null>;
  /**
   * The session that a process of the agent has open; `null` if there is none. Absent if the agent does not record
   * this.
   */
  sessionOfProcess?(pid: number, places: Places): string | null;
  /** The processes that record which session they have open; absent if the agent does not record this. */
  processesWith?(sessionId: string, places: Places): readonly number[];
  skim(found: FoundSession, options: SkimOptions): Promise<SessionInfo>;
  /** `updatedAt` of the row that `skim` makes from the `ends`, if it can be computed with less work. */
  updatedAt?(found: FoundSession, options: SkimOptions): Promise<string | null>;
  /** The time of `updatedAt` if it is in memory, or else `undefined`. */
  knownUpdatedAt?(found: FoundSession, memo: SkimMemo): string | null | undefined;
  /**
   * For sessions that share a file: one value for each session, by location. The value changes whenever the session
   * changes, but not when only other sessions change. A session without a value has changed if its files have. Absent
   * if no sessions share a file.
   */
  statesOf?(found: readonly FoundSession[], memo: SkimMemo): Promise<ReadonlyMap<string, string>>;
  /**
   * Titles that are stored outside of the sessions' files, for queries about many sessions; `null` if the agent has
   * none. Errors: `unreadable`.
   */
  titlesBeside?(places: Places): Promise<FindTitle>;
  /** Returns the name by which sessions refer to a file in which their history begins. */
  fileIdOf?(path: string): string | null;
  /** Copies a session to Continuo's folder, for an agent that may delete what it opened last; returns the folder. */
  keepSafe?(found: FoundSession, places: Places): string;
  /**
   * Called before the agent opens a session that exists: some agents delete or empty what they open. Returns the
   * session as it is afterwards.
   */
  beforeResume?(found: FoundSession, places: Places, options: BeforeResumeOptions): Promise<FoundSession>;
  /** Removes the empty sessions that the program left. Never throws for content of these files. */
  afterEnd?(places: Places, ended: EndedProgram): Promise<void>;
  /**
   * Returns the sessions that may have a text which passes the test, and those whose texts may also come from
   * elsewhere. The test receives all bytes from which the texts of a session come. Absent if texts come from a
   * session's files. Blocks for as long as reading takes.
   */
  filter?(found: readonly FoundSession[], begin: () => TestBytes): Promise<readonly FoundSession[]>;
  /** Words that the reader itself adds to texts, so that no file contains them. Absent if there are none. */
  readonly ownWords?: readonly string[];
  /** Left out for agents whose sessions are not made of lines. */
  readonly lines?: LineReader;
  /** Errors: `not_found`, `unreadable`. */
  open(found: FoundSession, places: Places, options: OpenOptions): Promise<OpenedSession>;
  /**
   * The messages that the active history begins with, if they can be known long before `open` has read the session; else
   * none. Absent if that takes as long as `open`. Errors: `not_found`, `unreadable`.
   */
  firstMessages?(found: FoundSession): Promise<readonly Message[]>;
  /**
   * The agent's own rules of what it sends to the model when it resumes a session with this history:
   * only the conversation, without the instructions and reminders that it makes again at every start.
   * Pure. The rules are listed above each implementation.
   */
  modelView(history: readonly Message[]): Message[];
  /**
   * Returns the parts of the session on disk, without changing them, and its readers. Errors: `unreadable`,
   * `unsupported`.
   */
  trashPlan(found: FoundSession, places: Places): Promise<TrashPlan>;
}

/** The counts of a history without a look at its records. */
export interface HistoryCounts {
  readonly total: number;
  readonly user: number;
  readonly assistant: number;
  readonly tool: number;
  readonly system: number;
  readonly toolCalls: number;
}
