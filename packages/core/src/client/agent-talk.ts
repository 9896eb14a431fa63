/**
 * Agents that answer each other: after so many of their messages since a person's last one, the next message of an agent
 * is not given to an agent that reads its own affairs. Without it, two bots that mention each other would never stop.
 */

import type { ClientEvent } from "./events.ts";

export interface AgentTalkOptions {
  /** Messages of agents since a person's last one, of which the last one is not answered any more. */
  readonly maxTurns: number;
  /** Called once for each talk that was stopped. */
  readonly onStop: () => void;
}

/**
 * Returns a step that is given every event of the channel, in order; it returns `true` for a message that stays
 * unanswered.
 */
export function createAgentTalk({ maxTurns, onStop }: AgentTalkOptions): (event: ClientEvent) => boolean {
  let turns = 0;
  let isStopped = false;
  /** Messages in progress that stay unanswered. */
  const left = new Set<string>();
  return (event) => {
    if (event.type === "complete" || event.type === "update") return left.has(event.messageId);
    if (event.type !== "message") return false;
    if (event.kind === "person") {
      turns = 0;
      isStopped = false;
    }
    if (event.kind !== "agent") return false;
    turns += 1;
    if (event.own || !event.addressed || turns < maxTurns) return false;
    if (event.state === "open") left.add(event.messageId);
    if (!isStopped) onStop();
    isStopped = true;
    return true;
  };
}
