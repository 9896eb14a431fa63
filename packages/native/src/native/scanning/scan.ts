/**
 * The types of a scan. `index.ts` says how to use one.
 *
 * An agent brings a `Scan`: functions over a state of plain data (objects, arrays, maps, sets, typed arrays; nothing
 * shared, no functions). The one `open` (`open.ts`) feeds it records, and makes a session of the result of `finish`.
 */

import type { Entry, Message, Problem, SessionDetails, ToolDefinition } from "@continuo/core/model";
import type {
  AncestorFiles,
  FoundSession,
  HistoryOptions,
  HistorySteps,
  OpenOptions,
  Places,
  ScanPosition,
} from "../kit/index.ts";

export interface ScanStart {
  /** Begin at about this byte, to read only the newest part of a session. */
  readonly from?: number;
  /** Continue after this position. */
  readonly position?: ScanPosition;
  readonly signal?: AbortSignal;
}

/** The source of a session's records, in their order. */
export interface ScanSource<Rec> {
  /** Bytes of all records, for a window of the newest ones; `null` if there is no such window. */
  windowBytes(): number | null;
  /** In batches, each of which is folded at once. */
  records(start: ScanStart): AsyncIterable<Iterable<Rec>>;
  /** Called if the rest of this record's file is not needed. */
  skipFile?(record: Rec): void;
  /** Returns the problems of the source as a whole; complete after the last record. */
  problems(): readonly Problem[];
  /** The file that is written to now, where a scan of it can be continued; `null` for a database, and for a compressed file. */
  readonly growing: GrowingFile<Rec> | null;
  close(): void;
}

export interface GrowingFile<Rec> {
  /** True for a last line without a line end, which may still be written to. */
  isUnended(record: Rec): boolean;
  position(): Promise<ScanPosition>;
  /** Returns true if the bytes before the position are unchanged. */
  continues(position: ScanPosition): Promise<boolean>;
}

export interface ScanContext<Source> {
  readonly found: FoundSession;
  readonly source: Source;
  /** The records are only the newest part of the session. */
  readonly partial: boolean;
  readonly signal: AbortSignal | undefined;
}

export interface Scan<State, Rec, Source extends ScanSource<Rec>, Node> {
  /** `AGENT-NUMBER`; the number grows whenever a saved state would be read differently. */
  readonly version: string;
  /** Errors: `not_found`, `unreadable`. */
  open(found: FoundSession, options: OpenOptions): Promise<Source>;
  /** `null` if the newest part is not enough, so that the whole session is read. */
  create(context: ScanContext<Source>): State | Promise<State | null>;
  /** Adds a record to the state. Pure but for that. */
  fold(state: State, record: Rec): void;
  /** Returns true if the rest of the file that was read last does not matter; for sessions of several files. */
  isFileDone?(state: State): boolean;
  /** A conversion for a state that is not plain data. */
  readonly plain?: { to(state: State): unknown; from(plain: unknown): State };
  /** Returns true if the window contains a message; otherwise a larger one is read. */
  isEnough(state: State): boolean;
  /** Returns the result of the records. Called once, after all of them. */
  finish(state: State, context: ScanContext<Source>, places: Places): Promise<ScanValue<Node>>;
}

/** Messages by role, and calls of tools. */
export type MessageCounts = SessionDetails["messages"] & { readonly toolCalls: number };

/** The facts of a scan about a session, without those of its branches. */
export type ScanFacts = Omit<SessionDetails, "messages" | "toolCalls" | "branches">;

/** The end of a branch. */
export interface Tip<Node> {
  readonly node: Node;
  readonly id: string;
  readonly active: boolean;
  readonly updatedAt: string | null;
  readonly counts: MessageCounts;
  /** The last text that the person typed on the branch. */
  readonly label: string | null;
}

export interface ScanValue<Node> {
  readonly facts: ScanFacts;
  /** The active one comes first, if there is one, and the others follow newest first. */
  readonly tips: readonly Tip<Node>[];
  /**
   * The node that an id names; in some agents a history ends only at the tips, in others at any message. `null` for
   * none.
   */
  nodeOf(id: string): Node | null;
  /** The messages from the root to a node. */
  history(node: Node, options: HistoryOptions): AsyncGenerator<Message, void, void>;
  readonly filesBefore?: AncestorFiles;
  /** Absent for agents whose sessions cannot be continued. */
  steps?(node: Node): HistorySteps;
  /** Every record in file order, verbatim. */
  entries(signal: AbortSignal | undefined): AsyncGenerator<Entry, void, void>;
  entriesBefore?(signal: AbortSignal | undefined): AsyncGenerator<Entry, void, void>;
  /** The definitions of tools in a record; left out if no record has any. */
  toolsIn?(entry: Entry): readonly ToolDefinition[];
}
