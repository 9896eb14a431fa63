/** What an agent says of its own accord: a greeting, words between two turns. It is no part of an answer. Pure. */

import type { AgentEvent } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";

/** They mean the same in a turn and outside of one. */
const STANDING: readonly AgentEvent["type"][] = ["title", "mode", "usage", "plan", "diagnostics"];

/** An event outside of a turn: reported, but not as an answer to the next prompt. */
export function toNotice(event: AgentEvent): AgentEvent {
  return STANDING.includes(event.type) ? event : { type: "diagnostics", details: event };
}

/**
 * What the agent is about to say of itself, as its answer to `session/new` tells; `null` where it tells none.
 * pi-acp 0.0.34 says it a moment after that answer, so that it may come in the middle of the first turn.
 */
export function greetingIn({ _meta }: Json): string | null {
  const told = isJson(_meta) && isJson(_meta.piAcp) ? _meta.piAcp.startupInfo : null;
  return typeof told === "string" && told !== "" ? told : null;
}

export function isGreeting(update: Json, greeting: string | null): boolean {
  if (greeting === null || update.sessionUpdate !== "agent_message_chunk") return false;
  return isJson(update.content) && update.content.text === greeting;
}
