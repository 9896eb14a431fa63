/** Recognises texts that an agent sends outside of a turn, such as a greeting, and keeps them out of answers. Pure. */

import type { AgentEvent } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";

/** These events mean the same in a turn and outside of one. */
const STANDING: readonly AgentEvent["type"][] = ["title", "mode", "usage", "plan", "diagnostics"];

/** Converts an event outside of a turn, so that it is not reported as an answer to the next prompt. */
export function toNotice(event: AgentEvent): AgentEvent {
  return STANDING.includes(event.type) ? event : { type: "diagnostics", details: event };
}

/**
 * Returns the greeting that the answer to `session/new` announces; `null` if it announces none. pi-acp 0.0.34
 * sends it a moment after that answer, so that it may arrive in the middle of the first turn.
 */
export function greetingIn({ _meta }: Json): string | null {
  const told = isJson(_meta) && isJson(_meta.piAcp) ? _meta.piAcp.startupInfo : null;
  return typeof told === "string" && told !== "" ? told : null;
}

export function isGreeting(update: Json, greeting: string | null): boolean {
  if (greeting === null || update.sessionUpdate !== "agent_message_chunk") return false;
  return isJson(update.content) && update.content.text === greeting;
}
