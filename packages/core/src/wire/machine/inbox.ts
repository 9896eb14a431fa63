/**
 * The inbox of a machine, over all agents: sessions that wait for an answer, sessions that run, and sessions that ended
 * since a person last looked.
 *
 * - `GET /v1/machine/inbox`: `InboxState`
 * - `GET /v1/machine/inbox/events`: server-sent events `inbox` with the whole state: the present one, then each new one
 * - `POST /v1/machine/inbox/seen`: `SeenRequest`; needs `machine:answer`
 */

import type { ChatQuestion } from "./chat.ts";
import type { MachineSession } from "./list.ts";

/** The rights of a token in the inbox. `answer`: may answer questions once, and change nothing else. */
export type InboxRights = "read" | "answer" | "write";

export type InboxSession = Pick<MachineSession, "key" | "agent" | "title" | "cwd" | "updatedAt">;

export interface InboxQuestion {
  readonly session: InboxSession;
  readonly question: ChatQuestion;
}

/**
 * - `this server`, `another process`: a turn that Continuo drives
 * - `its agent`: open in its own agent, which may wait for its next prompt
 * - `unknown`: its file was written a moment ago
 */
export type InboxRunner = "this server" | "another process" | "its agent" | "unknown";

export interface InboxRun {
  readonly session: InboxSession;
  /** The agent that answers, if it is a turn of Continuo. */
  readonly agent: string | null;
  readonly runner: InboxRunner;
  /** The beginning of the turn; `null` if it is not known. */
  readonly since: string | null;
}

export interface InboxEnd {
  readonly session: InboxSession;
  /** The reason why there is no complete answer; `null` if there is one, or if it is not known. */
  readonly failure: string | null;
  /** The beginning of the agent's last text; `null` until the session was read. */
  readonly lastWords: string | null;
}

export interface InboxState {
  /** Questions whose answers this server can pass on. */
  readonly asks: readonly InboxQuestion[];
  /**
   * Running sessions, except those that ask a question. The newest change comes first, as in the next two lists; each
   * has at most 100 rows.
   */
  readonly running: readonly InboxRun[];
  /** Sessions that changed after a person last opened them. */
  readonly failed: readonly InboxEnd[];
  readonly finished: readonly InboxEnd[];
  /** The number of sessions that failed or finished and were not viewed since, listed or not. */
  readonly unseen: number;
  readonly rights: InboxRights;
}

/** The sessions whose present state a person has seen; `all` for every session that has ended. */
export type SeenRequest = { readonly keys: readonly string[] } | { readonly all: true };

/** The inbox of a machine, without HTTP and rights. */
export interface MachineInbox {
  now(signal: AbortSignal): Promise<Omit<InboxState, "rights">>;
  /** Begins with the present state; ends when the signal aborts. */
  events(signal: AbortSignal): AsyncIterable<Omit<InboxState, "rights">>;
  /** Keys without a session are ignored. Errors: `unwritable`. */
  see(request: SeenRequest): Promise<void>;
}
