/** Settings of a conversation, as flags or as a request. */

import type { OnMissing } from "@continuo/core/model";

export interface TalkFlags {
  readonly agent?: string;
  readonly resume?: string;
  readonly continue?: true;
  readonly fork?: string;
  /** A new session, even if the configuration continues one. */
  readonly new?: true;
  readonly title?: string;
  readonly cwd?: string;
  readonly continuation?: "auto" | "native" | "replay" | "none";
  readonly onMissing?: OnMissing;
  readonly permissions?: "safe" | "ask" | "unrestricted";
  readonly model?: string;
  readonly transport?: "native" | "acp";
  /** A file with MCP servers for the agents, which has the form of `.mcp.json`. */
  readonly mcp?: string;
  readonly timeout?: number;
  readonly limit?: number;
  readonly maxMessages?: number;
  readonly maxChars?: number;
  readonly maxTokensApprox?: number;
  readonly store?: string;
  readonly workspace?: string;
}
