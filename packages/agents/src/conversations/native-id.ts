/** The native session in which a conversation continued last. Pure. */

import type { Session } from "@continuo/core/model";

/** `null` if the conversation was never with this agent. */
export function nativeIdOf({ metadata }: Session, agent: string): string | null {
  const references = metadata.providerSessions as
    | Readonly<Record<string, { readonly sessionId?: unknown } | undefined>>
    | undefined;
  const id = references?.[agent]?.sessionId;
  return typeof id === "string" ? id : null;
}
