/**
 * A conversation that is continued from a page, below `/v1/machine/sessions/KEY/chat`.
 *
 * - `GET …/events`: server-sent events (`ChatEvent`); each connection begins with the state and the turn that runs
 * - `POST …/prompt`, `…/cancel`: need the scope `machine:write`
 * - `POST …/answer`: needs the scope `machine:answer`; an option that also answers later questions also
 *   needs `machine:write`
 */

import type { PermissionOption, RunStatus } from "../../model/index.ts";
import type { WindowMessage } from "./history.ts";
import type { FolderFiles, FolderFilesQuery, NewChatAgents, NewChatRequest } from "./new-chat.ts";

/** The limits of a page's requests and answers. Characters are UTF-16 units. */
export const CHAT_LIMITS = {
  promptChars: 200_000,
  reasonChars: 2_000,
  /** The id and the name of a page. */
  pageChars: 64,
  /** The part of a prompt that is shown while it waits. */
  shownPromptChars: 2_000,
  /** The input of a question, as JSON. A longer one can only be denied. */
  requestChars: 200_000,
  waiting: 32,
  answered: 20,
  unanswered: 10,
  questions: 20,
  /** The answers of one question that are shown. A question that offers more says how many. */
  options: 20,
} as const;

/** A page of a browser in which the session is open. Other pages show the name. */
export interface ChatPage {
  /** The page chooses the id: letters, digits and `-`. */
  readonly id: string;
  /** A name such as `Firefox on Linux`. */
  readonly name: string;
}

/** The body of `POST …/prompt`. */
export interface PromptRequest {
  readonly text: string;
  /** The agent that answers from now on; by default, the one of the last answer. */
  readonly agent?: string;
}

/** The answer to a prompt. The prompt is already stored. */
export interface PromptAnswer {
  /**
   * The key of the session that has the prompt. The first prompt imports a native session as one of Continuo's, with
   * another key.
   */
  readonly key: string;
  readonly runId: string;
}

/** The body of `POST …/cancel`: cancels a running turn or a waiting prompt. */
export interface CancelRequest {
  readonly runId: string;
}

/** The body of `POST …/answer`. The first answer counts; a later one is refused with `conflict`. */
export interface AnswerRequest {
  readonly approvalId: string;
  readonly outcome: "granted" | "denied";
  /** The id of one of the question's options. */
  readonly optionId?: string;
  /** The reason for a denial; some agents read it. */
  readonly reason?: string;
  readonly page: ChatPage;
}

export interface ChatQuestion {
  readonly approvalId: string;
  readonly title: string;
  readonly toolName: string;
  /**
   * The complete input of the call, in the agent's own form; `null` if it is too long to be shown. Then the question
   * can only be denied.
   */
  readonly input: unknown;
  readonly content: readonly unknown[] | null;
  readonly options: readonly PermissionOption[];
  /** The number of further options, if the question has more than are shown. They can be chosen by their ids. */
  readonly moreOptions?: number;
  readonly readsReason: boolean;
  /**
   * True if the same call was granted in an earlier turn that ended before the call had a result, so that the call may
   * have run.
   */
  readonly mayHaveRun: boolean;
  /** The time at which the question is denied if nobody has answered. */
  readonly until: string;
}

export interface ChatAnswered {
  readonly approvalId: string;
  readonly outcome: "granted" | "denied";
  readonly page: ChatPage;
}

/** A turn, or a prompt that waits. */
export interface ChatRun {
  readonly runId: string;
  readonly status: RunStatus;
  readonly agent: string | null;
  /** The prompt's first characters, with a name in place of each picture and file. */
  readonly text: string;
  /** True if the prompt has more than this text: it is longer, or it has pictures or files. */
  readonly isPart?: true;
  readonly at: string;
  /** The reason why the run has no complete answer, if it has none. */
  readonly message: string | null;
}

export interface ChatState {
  /** The agent that answers next. */
  readonly agent: string;
  /** The agents that can be chosen to answer. */
  readonly agents: readonly string[];
  /** The reason why no prompt can be sent here now; `null` if one can. */
  readonly readOnly: string | null;
  readonly running: ChatRun | null;
  /** Prompts that wait, oldest first. */
  readonly waiting: readonly ChatRun[];
  /** The questions that can be answered here. */
  readonly questions: readonly ChatQuestion[];
  /** The newest answers that were given on pages, oldest first. */
  readonly answered: readonly ChatAnswered[];
  /** Turns without a complete answer since the last complete one, oldest first. */
  readonly unanswered: readonly ChatRun[];
}

/**
 * - `state`: the whole state, whenever a part of it changes
 * - `turn`: a connection or a turn begins; the page must remove the messages of the running turn
 * - `messages`: new or changed messages of the turn; `metadata.sequence` identifies them, and `metadata.partial` is set
 *   while more of their last text follows
 * - `token`: more text of a message's block; `text` replaces everything after the first `from` UTF-16 units of the
 *   block
 * - `moved`: the session was imported, and continues under another key
 */
export type ChatEvent =
  | { readonly type: "state"; readonly state: ChatState }
  | { readonly type: "turn" }
  | { readonly type: "messages"; readonly messages: readonly WindowMessage[] }
  | {
      readonly type: "token";
      readonly sequence: number;
      readonly block: number;
      readonly from: number;
      readonly text: string;
    }
  | { readonly type: "moved"; readonly key: string };

export interface AnswerCall {
  readonly signal: AbortSignal;
  /** `refused`: options that also answer later questions cannot be chosen. */
  readonly lasting: "allowed" | "refused";
}

/** A picture that a person sends with a prompt. Routes of HTTP take none. */
export interface PromptPicture {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

export interface PromptPictures {
  readonly pictures?: readonly PromptPicture[];
}

/** The conversations of a machine, without HTTP. Every member can fail with `not_found`. */
export interface MachineChat {
  /** Ends when the signal aborts. */
  events(key: string, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /** Errors: `session_live`, `busy`, `too_many_runs`, `unsupported`, and the errors of opening the conversation. */
  prompt(key: string, request: PromptRequest & PromptPictures, signal: AbortSignal): Promise<PromptAnswer>;
  /**
   * Sends a prompt in a new session.
   * Errors: `not_found` for a folder or an agent, `untrusted`, `agent_missing`; those of `prompt`.
   */
  begin(request: NewChatRequest & PromptPictures): Promise<PromptAnswer>;
  /** Errors: `not_found` for a folder, `untrusted`. */
  agentsIn(cwd: string): Promise<NewChatAgents>;
  /** The names of files in a folder, or in the folder of a session. Errors: as `agentsIn`. */
  files(query: FolderFilesQuery, signal: AbortSignal): Promise<FolderFiles>;
  /** Errors: `not_found` for a run of another session; `invalid_transition` for one that has ended. */
  cancel(key: string, request: CancelRequest, signal: AbortSignal): Promise<void>;
  /**
   * Errors: `conflict` if somebody else answered before; `not_found` for a question that is not open; `forbidden` for
   * an option that also answers later questions, if those options are refused.
   */
  answer(key: string, request: AnswerRequest, call: AnswerCall): Promise<void>;
}
