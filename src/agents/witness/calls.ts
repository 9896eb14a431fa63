/** Requests and answers over lines of JSON, told apart by their ids. */

import { isJson, type Json } from "../reader/index.ts";
import type { Talk } from "./program.ts";

export interface JsonCalls {
  /** The message that answers. Errors: `verification_failed` where none comes. */
  call(message: Json): Promise<Json>;
  notify(message: Json): void;
}

/** @param onOther is given every message that answers nothing. */
export function createCalls(talk: Talk, onOther: (message: Json) => void = () => undefined): JsonCalls {
  const waiting = new Map<string, { accept: (answer: Json) => void; refuse: (error: Error) => void }>();
  let count = 0;
  let ended: Error | null = null;
  const read = async (): Promise<void> => {
    for await (const line of talk.lines) {
      const message = parseLine(line);
      if (message === null) continue;
      const key = String(message.id);
      const one = message.method === undefined ? waiting.get(key) : undefined;
      waiting.delete(one === undefined ? "" : key);
      if (one === undefined) onOther(message);
      else if (message.error === undefined && message.success !== false) one.accept(message);
      else one.refuse(talk.failed(JSON.stringify(message.error)));
    }
    ended = talk.failed("it ended.");
    for (const one of waiting.values()) one.refuse(ended);
  };
  const reading = read();
  reading.catch(() => undefined);
  return {
    notify: (message) => talk.send(JSON.stringify(message)),
    call(message) {
      count += 1;
      const id = count;
      return new Promise((accept, refuse) => {
        if (ended !== null) return refuse(ended);
        waiting.set(String(id), { accept, refuse });
        talk.send(JSON.stringify({ ...message, id }));
      });
    },
  };
}

function parseLine(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return isJson(value) ? value : null;
  } catch {
    // Programs print other lines too.
    return null;
  }
}
