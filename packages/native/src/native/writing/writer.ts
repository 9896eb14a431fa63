/** The port for writing an agent's sessions, and the plain data that goes through it. */

import type { DatabaseSync } from "node:sqlite";
import type { AgentName, Block, Entry, Message, Usage } from "@continuo/core/model";
import type { AppendOptions, Json, Places } from "@continuo/files";
import type { OpenedSession } from "../kit/index.ts";

/** Clock and ids are passed in, so that the records are a pure function of the input. */
export interface Makers {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** UUIDv7. */
  readonly uuid: () => string;
  /** UUIDv4: some agents give their records no other ids. */
  readonly uuid4: () => string;
  /** Lower-case hex digits of randomness. */
  readonly hex: (digits: number) => string;
}

/** The facts with which a session begins. */
export interface NewSession {
  readonly sessionId: string;
  /** Absolute. */
  readonly cwd: string;
  readonly title: string | null;
  readonly gitBranch: string | null;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  /** The provenance of a conversation that is handed over: stored if the format has room for it. */
  readonly provenance?: Json;
}

export interface NewMessage {
  readonly role: "user" | "assistant" | "tool";
  /** The blocks of the message; a `tool` message has exactly one `tool_result`. */
  readonly content: readonly Block[];
  /** ISO 8601 UTC; now by default. */
  readonly timestamp?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly stopReason?: string;
  /** The name of the call that a `tool` message answers. */
  readonly toolName?: string;
  readonly toolInput?: unknown;
  readonly metadata?: Message["metadata"];
}

/** The history before the message, as far as every writer needs it. */
export interface WriterHistory {
  readonly opened: OpenedSession;
  /** The active history's last answer. */
  readonly lastAnswer: Message | null;
  /** The last message of the user. */
  readonly lastPrompt: Message | null;
}

/** The result of adding a message. `records` are lines, or rows if the agent keeps a database. */
export interface Addition<Tip> {
  readonly tip: Tip;
  readonly records: readonly Json[];
  /** The id by which the reader finds the message. */
  readonly id: string;
}

export interface SinkOptions extends AppendOptions {
  /** Runs first, in the same transaction of a database. */
  readonly before?: (database: DatabaseSync) => void;
}

export interface RecordSink {
  /** A value that distinguishes states of the session; `null` while there is none. */
  mark(): string | null;
  /**
   * When it returns, the records are on disk and were read back. Errors: `conflict` if another writer changed the
   * session since `mark` gave `after`, `unwritable`; after an error nothing has changed, unless `details.isWritten` is
   * true.
   */
  append(records: readonly Json[], options?: SinkOptions): void;
  /**
   * Does the same as `append` for a session that does not exist yet, without holding all records of a file in
   * memory. Errors: `conflict` if it exists.
   */
  create(records: Iterable<Json>): void;
  close(): void;
}

/** A record of a session as its reader gives it. */
export type KeptRecord = Pick<Entry, "file" | "line" | "rawSeparators" | "value">;

export interface RenameRequest {
  readonly sessionId: string;
  readonly sessionFile: string;
  readonly title: string;
}

export interface RenameAddition {
  readonly records: readonly Json[];
  readonly besides?: readonly SideFile[];
}

/** A part of a new session that belongs in another file. */
export interface SideFile {
  /** `create`: only if the file does not exist. */
  readonly how: "append" | "create";
  readonly path: string;
  readonly text: string;
}

export interface ChildPlace {
  /** The conversation of a sub-agent, of another session. */
  readonly location: string;
  /** The session to which it will belong. */
  readonly parent: NewSession;
  readonly sessionFile: string;
}

export interface ChildRecords {
  readonly records: readonly Json[];
  /** Changes a record of the session itself where it names the sub-agent, which may have another id now. */
  readonly linked: (record: Json) => Json;
}

/**
 * The writer of one agent's sessions. `Tip` is the end of a session, with everything that the next message depends on.
 * Only `retitle`, and the sink that `openSink` opens, change files or databases.
 */
export interface NativeWriter<Tip> {
  readonly agent: AgentName;
  /** All sessions are in one file, which the agent makes when it first starts. */
  readonly keepsOneFile?: true;
  /** The file, or the database, where the agent looks for a new session. */
  placeOf(session: NewSession, places: Places): string;
  newSessionId(makers: Makers): string;
  /** Returns the location by which the reader recognises the session. */
  locationOf(sessionFile: string, sessionId: string): string;
  /** @param places the places of the agent's settings, which complete what a record leaves open. */
  openSink(sessionFile: string, sessionId: string, places: Places): Promise<RecordSink>;
  /** A short name that the agent gives the session, or its folder; left out for agents that have none. */
  slugOf?(opened: OpenedSession, sessionFile: string): Promise<string | null>;
  /** Errors: `unsupported` for a session that cannot be continued. */
  openTip(before: WriterHistory, signal: AbortSignal | undefined): Promise<Tip>;
  begin(session: NewSession, makers: Makers): { readonly tip: Tip; readonly records: readonly Json[] };
  /** The file of a session that is only read; left out by agents whose sessions are files of lines. */
  stage?(records: Iterable<Json>, session: NewSession): Iterable<string>;
  besideNew?(session: NewSession, sessionFile: string): readonly SideFile[];
  /**
   * Converts the records to the format that the agent writes now, as the agent itself does when it opens the session;
   * `null` if they already have that format. A session that `openTip` refuses as `unsupported` may become writable in
   * this way.
   */
  upgrade?(records: readonly KeptRecord[], makers: Makers): readonly KeptRecord[] | null;
  /**
   * Converts records of a session of this agent to records of a new session. Only the id of the session, its folder,
   * its title, and entries that two sessions cannot share are changed. `null` if the format does not allow it. Pure.
   */
  bringBack(records: readonly KeptRecord[], session: NewSession, makers: Makers): readonly Json[] | null;
  /**
   * Converts files with the conversation of a sub-agent to files of a new session. Only the id of the session and its
   * folder are changed. Left out if such conversations are not in files below their session.
   *
   * @param location of the conversation, which is read
   * @returns no file if it is already there; `null` if the conversation cannot be moved with its session
   */
  childFiles?(location: string, parent: NewSession, sessionFile: string): readonly SideFile[] | null;
  /**
   * Does the same for an agent with all sessions in one file, as records that are written with those of the session.
   */
  childRecords?(child: ChildPlace, makers: Makers): Promise<ChildRecords | null>;
  /**
   * Returns the records in the state to which the agent brings them before it appends: without reverted messages, or in
   * its present format. Absent if they do not change. Pure.
   */
  beforeMore?(records: readonly KeptRecord[], makers: Makers): readonly KeptRecord[];
  /** Gives a session another title, by records in its own file or in other files. */
  rename(tip: Tip, renaming: RenameRequest, makers: Makers): RenameAddition;
  /** Changes the other places from which the agent's own list takes the title. Errors: `busy`, `unwritable`. */
  retitle?(renaming: RenameRequest): Promise<void>;
  /** Errors: `invalid` for a message that the agent cannot store. */
  add(tip: Tip, message: NewMessage, makers: Makers): Addition<Tip>;
}
