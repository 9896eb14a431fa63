/** Types that the parts of a chat share. */

import type { ListedSession } from "@continuo/agents/catalog";
import type { PlacesAt } from "@continuo/files";
import type { OpenedStore } from "@continuo/store";
import type { Changes } from "./changes.ts";
import type { OpenChats } from "./open-chats.ts";

export interface ChatSession {
  readonly key: string;
  readonly row: ListedSession;
  /** For a sub-agent: the key of the session that started the sub-agent; otherwise `null`. */
  readonly parentKey: string | null;
}

/** The parts of the machine that a chat needs. */
export interface ChatOptions {
  readonly places: PlacesAt;
  openStore(): Promise<OpenedStore>;
  /** Errors: `not_found`. */
  named(key: string, signal: AbortSignal): Promise<ChatSession>;
  /** The key of one of Continuo's own sessions that was just created. */
  keyOfOwn(sessionId: string): Promise<string>;
}

export interface ChatParts {
  readonly options: ChatOptions;
  readonly changes: Changes;
  readonly chats: OpenChats;
  /** The new keys of native sessions that were imported here, by their old keys, which no list contains any more. */
  readonly moved: Map<string, string>;
  store(): Promise<OpenedStore>;
  /** The session under its present key. Errors: `not_found`. */
  named(key: string, signal: AbortSignal): Promise<ChatSession>;
}
