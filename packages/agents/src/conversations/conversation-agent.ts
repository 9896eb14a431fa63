/** The agent of a conversation, a program or a model, and the options with which it is created. */

import type {
  AgentDriver,
  Conversation,
  EditorPort,
  OpenConversation,
  ToolServer,
} from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import type { AgentSettings } from "../config/index.ts";
import type { DrivenAgent } from "../drivers/link/index.ts";
import type { ProgramPlace } from "./state.ts";

export interface AgentOptions {
  readonly settings: AgentSettings;
  readonly places: PlacesAt;
  readonly cwd: string;
  readonly onPermission: NonNullable<OpenConversation["onPermission"]>;
  /** `session` keeps its program between turns. */
  readonly keepOpen: "session" | "turn";
  /** See `DriverOptions.onWait`. */
  readonly onWait?: (waitMs: number, holder?: string) => void;
  /** Returns true if the person trusts a folder. Without this function, only the agent's own record counts. */
  readonly isTrusted?: (folder: string) => boolean;
  /** A mode of the agent's own, such as `plan`. */
  readonly mode?: string;
  /** See `OpenConversation.effort`. */
  readonly effort?: string;
  /** See `OpenConversation.toolServers`. */
  readonly toolServers?: readonly ToolServer[];
  /** See `OpenConversation.editor`. */
  readonly editor?: EditorPort;
}

/** Options that choose the session in which an agent is opened. */
export type AgentOpenOptions = Pick<
  OpenConversation,
  "cwd" | "resumeSessionId" | "continueLast" | "continueBy" | "wantHistory"
>;

export interface ConversationAgent extends DrivenAgent {
  /**
   * The greatest number of tokens of a conversation for a model; left out for programs, which cut the conversation
   * themselves.
   */
  readonly conversationTokens?: () => Promise<number>;
  /**
   * Starts the agent's program before the first turn. The first turn uses the started program if both use the same
   * session. The first turn also reports the errors of the start.
   */
  prepare(place: ProgramPlace): void;
  /** Like `prepare`, but resolves when the conversation is open. Errors: as `AgentDriver.open`. */
  enter(entrance: AgentOpenOptions): Promise<Pick<Conversation, "sessionId" | "resumption" | "history">>;
  /** The session that its next turn finds open; `null` if nothing was started early. */
  readonly place: ProgramPlace | null;
  /** Closes what is open, unless a turn runs in it: the next turn opens it again. */
  rest(): Promise<void>;
  /**
   * The open conversation, including one that was started early; this waits for its opening. `null` if there is none.
   */
  opened(): Promise<Conversation | null>;
  /**
   * The driver that can return the agent's own list; `null` if the agent has no list, or if Continuo reads the agent's
   * files and no conversation is open.
   */
  lister(): Promise<AgentDriver | null>;
}
