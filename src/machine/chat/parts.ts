/** What the parts of a chat share. */

import type { ListedSession } from "../../catalog/index.ts";
import type { PlacesAt } from "../../files/index.ts";
import type { OpenedStore } from "../../store/index.ts";
import type { Changes } from "./changes.ts";
import type { OpenChats } from "./open-chats.ts";

export interface ChatSession {
  readonly key: string;
  readonly row: ListedSession;
  /** Of a sub-agent. */
  readonly parentKey: string | null;
}

/** What a chat asks of the machine. */
export interface ChatOptions {
  readonly places: PlacesAt;
  openStore(): Promise<OpenedStore>;
  /** Errors: `not_found`. */
  named(key: string, signal: AbortSignal): Promise<ChatSession>;
  /** The key of a session of Continuo's own that was made a moment ago. */
  keyOfOwn(sessionId: string): Promise<string>;
}

export interface ChatParts {
  readonly options: ChatOptions;
  readonly changes: Changes;
  readonly chats: OpenChats;
  /** Agents' own sessions that were taken up here: their keys are in no list any more. */
  readonly moved: Map<string, string>;
  store(): Promise<OpenedStore>;
  /** Under the key that it has now. Errors: `not_found`. */
  named(key: string, signal: AbortSignal): Promise<ChatSession>;
}
