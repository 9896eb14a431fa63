/** The messages of the turn that runs, folded from the events of a conversation. */

import type { Block } from "@continuo/core/model";
import type { ChatEvent, WindowMessage } from "@continuo/core/wire/machine";

type TurnEvent = Extract<ChatEvent, { readonly type: "turn" | "messages" | "token" }>;

export interface LiveTurn {
  /** In their order. The first one is the prompt. */
  readonly messages: readonly WindowMessage[];
  /** The place of its first message in the log; `null` until that message arrives. */
  readonly sequence: number | null;
  take(event: TurnEvent): void;
}

export function createLiveTurn(): LiveTurn {
  const messages = new Map<number, WindowMessage>();
  return {
    get messages() {
      return [...messages].sort(([a], [b]) => a - b).map(([, one]) => one);
    },
    get sequence() {
      return messages.size === 0 ? null : Math.min(...messages.keys());
    },
    take(event) {
      if (event.type === "turn") messages.clear();
      else if (event.type === "messages") {
        for (const one of event.messages) messages.set(sequenceOf(one), one);
      } else {
        const known = messages.get(event.sequence);
        if (known !== undefined) messages.set(event.sequence, withToken(known, event));
      }
    },
  };
}

export function sequenceOf({ message }: WindowMessage): number {
  const { sequence } = message.metadata;
  return typeof sequence === "number" ? sequence : 0;
}

function withToken(
  one: WindowMessage,
  { block, from, text }: Extract<ChatEvent, { readonly type: "token" }>,
): WindowMessage {
  const content = one.message.content.map((known, at): Block => {
    if (at !== block || (known.type !== "text" && known.type !== "thinking")) return known;
    return { ...known, text: known.text.slice(0, from) + text };
  });
  return { ...one, message: { ...one.message, content } };
}
