/**
 * A new conversation from a page, and names of files for a prompt. All requests need the scope `machine:write`.
 *
 * - `GET /v1/machine/chats/agents?cwd=DIR`: the agents that can answer there
 * - `GET /v1/machine/chats/files?cwd=DIR&words=TEXT`, or `key=KEY` for the folder of a session
 * - `POST /v1/machine/chats`: `PromptAnswer`, as `POST …/chat/prompt`
 */

/** The policies that a page may choose; `unrestricted` is only in the configuration. */
export const CHAT_MODES = ["ask", "safe"] as const;
export type ChatMode = (typeof CHAT_MODES)[number];

export interface NewChatRequest {
  readonly cwd: string;
  readonly agent: string;
  /** The permissions of the agent; those of the configuration by default. */
  readonly mode?: ChatMode;
  readonly text: string;
}

export interface NewChatAgents {
  /** The absolute path of the folder. */
  readonly cwd: string;
  readonly agents: readonly string[];
  /** The agent of a new conversation in the folder; `null` if none is installed. */
  readonly agent: string | null;
}

/** Exactly one of the two gives the folder. */
export interface FolderFilesQuery {
  readonly cwd?: string;
  readonly key?: string;
  readonly words: string;
}

export interface FolderFiles {
  /** Paths below the folder, with `/`, the best match first; at most 20. */
  readonly files: readonly string[];
  /** True if the folder has more files than the limit. */
  readonly isCut: boolean;
}
