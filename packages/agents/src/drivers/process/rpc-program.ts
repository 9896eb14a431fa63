/** A program that answers requests. When it ends, all waiting callers receive an error that says how it ended. */

import { type ContinuoError, isContinuoError } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { createCalls } from "./calls.ts";
import { type ProcessStart, startAgent } from "./program.ts";

export interface RpcProgram {
  /** Returns the answer. Errors: `agent_failed`, with `details.answer` if the program refuses. */
  call(message: Json): Promise<Json>;
  notify(message: Json): void;
  failed(why: string): ContinuoError;
  late(what: string, limitMs: number): ContinuoError;
  end(): Promise<void>;
}

export interface RpcHandlers {
  /** Called with every message that is not an answer. The next line is read after it resolves. */
  onOther(message: Json): void | Promise<void>;
  /** Called when the output has ended, before the processes that the program started are ended. */
  onEnd(): void | Promise<void>;
}

/** A program that prints nothing more is given this time to end, so that its end can be reported. */
const END_MS = 2_000;

/** Errors: as `startAgent`. */
export async function startCalled(start: ProcessStart, handlers: RpcHandlers): Promise<RpcProgram> {
  const program = await startAgent(start);
  const calls = createCalls(program, (message) => handlers.onOther(message));
  let ended: ContinuoError | null = null;
  const gone = calls.ended
    .catch(() => undefined)
    .then(async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((done) => {
        timer = setTimeout(done, END_MS);
      });
      await Promise.race([program.ended, late]);
      clearTimeout(timer);
      ended = program.failed("ended");
    });
  void gone.then(() => handlers.onEnd()).then(() => program.end());
  return {
    async call(message) {
      if (ended !== null) throw ended;
      try {
        return await calls.call(message);
      } catch (error) {
        if (isRefusal(error)) throw error;
        await gone;
        throw program.failed("ended before it answered");
      }
    },
    notify: (message) => calls.notify(message),
    failed: (why) => program.failed(why),
    late: (what, limitMs) => program.late(what, limitMs),
    end: () => program.end(),
  };
}

/** Returns true if the program refused the call, and false if it ended before it answered. */
export function isRefusal(error: unknown): boolean {
  return isContinuoError(error, "agent_failed") && error.details.answer !== undefined;
}
