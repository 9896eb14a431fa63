/** Requests and answers over lines of JSON, matched by their ids. */

import type { ContinuoError } from "@continuo/core/model";
import { isJson, type Json, parseJson } from "@continuo/files";

/** The transport: takes and returns lines. */
export interface Talk {
  send(line: string): void | Promise<void>;
  readonly lines: AsyncIterable<string | null>;
  failed(why: string): ContinuoError;
}

export interface JsonCalls {
  /** Returns the answer. Errors: that of `talk.failed` if the answer is an error, or if none comes. */
  call(message: Json): Promise<Json>;
  notify(message: Json): void;
  /** Resolves when no line comes any more, and rejects if reading the lines failed. */
  readonly ended: Promise<void>;
}

/** @param onOther called with every message that is not an answer; the next line is read after it resolves */
export function createCalls(
  talk: Talk,
  onOther: (message: Json) => void | Promise<void> = () => undefined,
): JsonCalls {
  const waiting = new Map<string, { accept: (answer: Json) => void; refuse: (error: Error) => void }>();
  let count = 0;
  let ended: Error | null = null;
  const answer = (message: Json): boolean => {
    const key = String(message.id);
    const one = message.method === undefined ? waiting.get(key) : undefined;
    if (one === undefined) return false;
    waiting.delete(key);
    if (message.error === undefined && message.success !== false) one.accept(message);
    else one.refuse(refusal(talk, message.error));
    return true;
  };
  const read = async (): Promise<void> => {
    try {
      for await (const line of talk.lines) {
        if (line === null) throw talk.failed("printed a line that is too long to be kept");
        const message = parseLine(line);
        if (message !== null && !answer(message)) await onOther(message);
      }
    } finally {
      ended = talk.failed("ended before it answered");
      for (const one of waiting.values()) one.refuse(ended);
      waiting.clear();
    }
  };
  const reading = read();
  // A caller that waits gets the error; others look at `ended`.
  reading.catch(() => undefined);
  return {
    ended: reading,
    notify: (message) => void talk.send(JSON.stringify(message)),
    call(message) {
      count += 1;
      const id = count;
      return new Promise((accept, refuse) => {
        if (ended !== null) return refuse(ended);
        waiting.set(String(id), { accept, refuse });
        void talk.send(JSON.stringify({ ...message, id }));
      });
    },
  };
}

/** The program runs and refused the request: the error has its answer, not the lines that it printed before. */
function refusal(talk: Talk, error: unknown): Error {
  const message = isJson(error) && typeof error.message === "string" ? error.message : JSON.stringify(error);
  const failure = talk.failed(`said no: ${message}`);
  Object.assign(failure.details, { answer: error });
  return failure;
}

function parseLine(line: string): Json | null {
  try {
    const value: unknown = parseJson(line);
    return isJson(value) ? value : null;
  } catch {
    // Programs print other lines too.
    return null;
  }
}
