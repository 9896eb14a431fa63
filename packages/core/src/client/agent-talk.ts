/**
 * Stops agents that answer each other without end: after a number of agents' messages since a person's last one, an
 * agent with `targetedOnly` is not given the next one. Without it, two bots that mention each other would never stop.
 */

import type { ClientEvent } from "./events.ts";

export interface AgentTalkOptions {
  /** The number of agents' messages since a person's last one; the message that reaches this number is not answered. */
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
