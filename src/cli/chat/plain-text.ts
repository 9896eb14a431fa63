/** The agent's answer as plain text in a stream: visible text only. */

import type { AgentEvent } from "@continuo/core/model";
import { visibleText } from "@continuo/core/transcript";
import type { Output } from "../terminal/index.ts";

export interface PlainText {
  tell(event: AgentEvent): Promise<void>;
  /** Ends the last line. */
  end(): Promise<void>;
}

/** Text that may look different when more comes: half of a pair, a carriage return, a joiner between two signs. */
const UNDECIDED = /(?:[\ud800-\udbff]|\r|\u200c|\u200d|\ufe0e|\ufe0f|\p{Extended_Pictographic})+$/u;

export function createPlainText(output: Output): PlainText {
  let held = "";
  /** The end of what was written: enough to see an empty line. */
  let tail = "\n\n";
  /** The message that was said last; another one is another paragraph. */
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
        const text = event.content.map((block) => (block.type === "text" ? block.text : "")).join("");
        const isNew = text !== "" && !heard.has(event.messageId);
        if (isNew) await apart();
        if (isNew) await say(text);
        // Words without a name belong to the whole that follows them, and to none after it.
        heard.delete(undefined);
        if (heard.size > 256) heard.clear();
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
