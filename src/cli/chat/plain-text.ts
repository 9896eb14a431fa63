/** Writes the agent's answer as plain text. Control characters are made visible. */

import { type AgentEvent, textOf } from "@continuo/core/model";
import { visibleText } from "@continuo/core/transcript";
import type { Output } from "../terminal/index.ts";

export interface PlainText {
  tell(event: AgentEvent): Promise<void>;
  /** Ends the last line. */
  end(): Promise<void>;
}

/**
 * Text that is written only together with the text after it: half of a surrogate pair, a carriage return, a part of an
 * emoji.
 */
const UNDECIDED = /(?:[\ud800-\udbff]|\r|\u200c|\u200d|\ufe0e|\ufe0f|\p{Extended_Pictographic})+$/u;

/** The number of message ids that are remembered. */
const MAX_HEARD = 256;

export function createPlainText(output: Output): PlainText {
  let held = "";
  /** The last two written characters, which show if the text ends with an empty line. */
  let tail = "\n\n";
  /** The id of the message to which the last text belongs. */
  let current: string | undefined;
  const heard = new Set<string | undefined>();

  const write = async (text: string): Promise<void> => {
    if (text === "") return;
    tail = (tail + text).slice(-2);
    await output.write(visibleText(text));
  };
  const say = async (text: string): Promise<void> => {
    const all = held + text;
    held = UNDECIDED.exec(all)?.[0] ?? "";
    await write(all.slice(0, all.length - held.length));
  };
  const finish = async (): Promise<void> => {
    const rest = held;
    held = "";
    await write(rest);
  };
  const apart = async (): Promise<void> => {
    await finish();
    if (tail !== "\n\n") await write(tail.endsWith("\n") ? "\n" : "\n\n");
  };
  return {
    async tell(event) {
      if (event.type === "text") {
        if (!heard.has(event.messageId)) await apart();
        heard.add(event.messageId);
        current = event.messageId;
        await say(event.delta);
      } else if (event.type === "message") {
        const text = textOf(event.content);
        if (text !== "" && !heard.has(event.messageId)) {
          await apart();
          await say(text);
        }
        // Deltas without an id belong to the next complete message, and to no later one.
        heard.delete(undefined);
        if (heard.size > MAX_HEARD) heard.clear();
      } else if (event.type === "tool_call" && current === undefined) {
        heard.delete(undefined);
      }
    },
    async end() {
      await finish();
      if (!tail.endsWith("\n")) await write("\n");
    },
  };
}
