/** The port for the sessions of the machine on which a server runs: the answers of `/v1/machine/`, without HTTP. */

import type { SessionFacts } from "../../model/index.ts";
import type {
  EmptyTrashAnswer,
  ForkAnswer,
  ForkRequest,
  HandOffAnswer,
  HandOffPreview,
  HandOffRequest,
  RenameRequest,
  RepairAnswer,
  ResumeOffer,
  TerminalAnswer,
  TrashAnswer,
} from "./actions.ts";
import type { BringBackAnswer, SessionsAtRisk } from "./at-risk.ts";
import type { FileBlameAnswer } from "./blame.ts";
import type { SessionBranches } from "./branches.ts";
import type { ChangesAnswer, FileChanges } from "./changes.ts";
import type { MachineChat } from "./chat.ts";
import type { SessionSearchResult } from "./find.ts";
import type { MachineHealth } from "./health.ts";
import type { HistoryView, HistoryWindow, TextRest } from "./history.ts";
import type { MachineInbox } from "./inbox.ts";
import type { ListQuery, MachineSession, SessionsChanged, SessionsPage } from "./list.ts";
import type { MarkRequest } from "./marks.ts";
import type { Outline } from "./outline.ts";
import type { GrowthEvent, KnownSession, SessionHead } from "./session.ts";
import type { MachineUsage } from "./usage.ts";

/** A history of a session. */
export interface HistoryName {
  readonly key: string;
  /** `history` by default. */
  readonly view?: HistoryView;
  /** The id of a leaf; the active branch by default. */
  readonly branch?: string;
}

export interface HistoryQuery extends HistoryName {
  readonly before?: string;
  readonly after?: string;
  readonly around?: string;
  readonly limit?: number;
}

/** The bytes of an image in a format that a page may show. */
export interface ImageBytes {
  readonly mimeType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Bytes to and from a machine that mirrors a session. */
export interface MirrorConnection {
  readonly incoming: AsyncIterable<Uint8Array>;
  send(bytes: Uint8Array): Promise<void>;
  /** Called with `AGENT:ID` before anything of the session is written. */
  begun(name: string): Promise<void>;
}

/**
 * The figures of a row are its model, turns, tokens, cost and facts. A page has those that are known, and the others
 * follow as changes of the list: `read` reads sessions for them, `indexed` takes only what the index has.
 */
export type ListFigures = "read" | "indexed";

/** Every method fails with `not_found` for a key that names no session, and with the errors of reading the session. */
export interface MachineService {
  /** Errors: `invalid` for an invalid cursor; `unavailable` if the text cannot be searched. */
  sessions(query: ListQuery, signal?: AbortSignal, figures?: ListFigures): Promise<SessionsPage>;
  /** Yields the changes of the list from now on; ends when the signal aborts. */
  changed(signal: AbortSignal): AsyncIterable<SessionsChanged>;
  session(key: string, signal: AbortSignal): Promise<SessionHead>;
  /** Reads nothing of the session. */
  known(key: string, signal: AbortSignal): Promise<KnownSession>;
  branches(key: string, signal: AbortSignal): Promise<SessionBranches>;
  /** Errors: `not_found` also for a message that is not in this history. */
  history(query: HistoryQuery, signal: AbortSignal): Promise<HistoryWindow>;
  text(
    query: HistoryName & { readonly messageId: string; readonly path: string; readonly from: number },
    signal: AbortSignal,
  ): Promise<TextRest>;
  image(
    query: HistoryName & { readonly messageId: string; readonly path: string },
    signal: AbortSignal,
  ): Promise<ImageBytes>;
  /** Yields events from a position on, or from the moment when everything was read; ends when the signal aborts. */
  growth(query: HistoryName & { readonly after?: string }, signal: AbortSignal): AsyncIterable<GrowthEvent>;
  outline(
    query: HistoryName & { readonly before?: number; readonly limit?: number; readonly prints?: "include" },
    signal: AbortSignal,
  ): Promise<Outline>;
  /** The facts of this history. */
  facts(query: HistoryName, signal: AbortSignal): Promise<SessionFacts>;
  find(
    query: HistoryName & { readonly words: string; readonly before?: number; readonly limit?: number },
    signal: AbortSignal,
  ): Promise<SessionSearchResult>;
  changes(query: HistoryName, signal: AbortSignal): Promise<ChangesAnswer>;
  fileChanges(
    query: HistoryName & { readonly path: string; readonly after?: number },
    signal: AbortSignal,
  ): Promise<FileChanges>;
  /** The turns that wrote a file. Errors: `not_found` for a file that no session changed, `too_large`, `unreadable`. */
  fileBlame(path: string, signal: AbortSignal): Promise<FileBlameAnswer>;
  health(): Promise<MachineHealth>;
  /** Reads every session whose state is in no index. */
  atRisk(signal: AbortSignal): Promise<SessionsAtRisk>;
  /** Errors: `invalid` for a file of settings with mistakes. */
  usage(query: { readonly since?: string }): Promise<MachineUsage>;
  /**
   * Keeps a mirror of a session of another machine, until that one ends the connection. Errors are also sent to the
   * other machine.
   */
  mirror(connection: MirrorConnection): Promise<void>;
  readonly actions: MachineActions;
  readonly chat: MachineChat;
  readonly inbox: MachineInbox;
  close(): Promise<void>;
}

export interface ExportRequest {
  readonly format: "md" | "html" | "json" | "jsonl";
  readonly secrets?: "masked";
}

/** Several sessions, as one archive. */
export interface ExportAllRequest extends ExportRequest {
  readonly keys: readonly string[];
}

export interface ExportedFile {
  readonly fileName: string;
  readonly mimeType: string;
  readonly body: ReadableStream<Uint8Array>;
}

/** The actions on a session, with the errors of the commands. */
export interface MachineActions {
  resume(key: string, signal: AbortSignal): Promise<ResumeOffer>;
  /**
   * Starts the command of `resume` in a new window. Errors: `unsupported` if no window can be opened, `session_live`,
   * `agent_missing`, `agent_failed`, `busy` while another window is being opened.
   */
  openTerminal(key: string, signal: AbortSignal): Promise<TerminalAnswer>;
  rename(key: string, request: RenameRequest, signal: AbortSignal): Promise<MachineSession>;
  /** Errors: `invalid` for an invalid tag. */
  mark(key: string, request: MarkRequest, signal: AbortSignal): Promise<MachineSession>;
  /**
   * Leaves an archived session out of Continuo's lists; no file of an agent changes. Errors: `unsupported` if
   * `archived` is false, but the agent itself archived the session.
   */
  archive(key: string, request: { readonly archived: boolean }, signal: AbortSignal): Promise<MachineSession>;
  fork(key: string, request: ForkRequest, signal: AbortSignal): Promise<ForkAnswer>;
  /** Moves the session to the trash, one of Continuo's together with the native sessions of its conversation. */
  delete(key: string, signal: AbortSignal): Promise<TrashAnswer>;
  /** Deletes the sessions in the trash for good. */
  emptyTrash(): Promise<EmptyTrashAnswer>;
  /** Returns `null` if the list does not show the session. */
  restore(trashId: string): Promise<MachineSession | null>;
  repair(key: string, write: "preview" | "in place", signal: AbortSignal): Promise<RepairAnswer>;
  /**
   * Makes the agent's own list show a session that it hides. Errors: `conflict` if the list already shows the session,
   * `session_live`, `has_forks`, `busy`, `verification_failed`.
   */
  bringBack(key: string, write: "preview" | "in place", signal: AbortSignal): Promise<BringBackAnswer>;
  handOffPreview(key: string, request: HandOffRequest, signal: AbortSignal): Promise<HandOffPreview>;
  handOff(key: string, request: HandOffRequest, signal: AbortSignal): Promise<HandOffAnswer>;
  export(key: string, wish: ExportRequest, signal: AbortSignal): Promise<ExportedFile>;
  /** A ZIP archive with a file for each session. */
  exportAll(request: ExportAllRequest, signal: AbortSignal): ExportedFile;
}
