/**
 * Stops agents that answer each other without end: after a number of agents' messages since a person's last one, an
 * agent with `targetedOnly` is not given the next one. Without this limit, two bots that mention each other would never
 * stop.
 */

import type { ClientEvent } from "./events.ts";

export interface AgentTalkOptions {
  /** The number of agents' messages since a person's last one; the message that reaches this number is not answered. */
  readonly maxTurns: number;
  /** Called once for each talk that was stopped. */
  readonly onStop: () => void;
  /** Called for each whole message that is left out: it is never answered. */
  readonly onLeft?: (event: LeftMessage) => void;
}

export type LeftMessage = Extract<ClientEvent, { readonly type: "message" | "complete" }>;

/** The limit of a client's `events()`: an input that it leaves out counts as answered, also for the next connection. */
export function talkOf(
  maxTurns: number,
  {
    warn,
    claim,
  }: { readonly warn: (line: string) => void; readonly claim: (input: number) => Promise<unknown> },
): AgentTalkOptions {
  return {
    maxTurns,
    onStop: () => warn(`agents sent ${maxTurns} messages since a person did: the next ones are not answered`),
    onLeft: ({ sequence, turns = 0 }) => {
      // The server counts again, and moves the cursor. If an earlier input is not answered yet, this one comes again.
      if (sequence !== undefined && turns >= maxTurns) claim(sequence).catch(() => undefined);
    },
  };
}

/**
 * Returns a step that is given every event of the channel, in order; it returns `true` for a message that stays
 * unanswered.
 */
export function createAgentTalk({
  maxTurns,
  onStop,
  onLeft,
}: AgentTalkOptions): (event: ClientEvent) => boolean {
  let turns = 0;
  let isStopped = false;
  /** Messages in progress that stay unanswered. */
  const left = new Set<string>();
  return (event) => {
    if (event.type === "complete" && left.has(event.messageId)) onLeft?.(event);
    if (event.type === "complete" || event.type === "update") return left.has(event.messageId);
    if (event.type !== "message") return false;
    if (event.kind === "person") {
      turns = 0;
      isStopped = false;
    }
    if (event.kind !== "agent") return false;
    // The server counts in the log; what this client has seen since it connected is only a part of it.
    turns = event.turns ?? turns + 1;
    if (event.own || !event.addressed || turns < maxTurns) return false;
    if (event.state === "open") left.add(event.messageId);
    else onLeft?.(event);
    if (!isStopped) onStop();
    isStopped = true;
    return true;
  };
}
