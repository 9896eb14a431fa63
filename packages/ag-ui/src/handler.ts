/** The handler of fetch requests that clients of the protocol post to: who may do what, and the answer as a stream. */

import {
  assertKnownOptions,
  ContinuoError,
  isContinuoError,
  type KnownOptions,
  present,
} from "@continuo/core/model";
import { coversName } from "@continuo/core/wire";
import {
  type Authorization,
  type Continuo,
  streamResponse,
  toErrorResponse,
  unknownCaller,
} from "@continuo/server/runtime";
import { type AskedRun, readAskedRun } from "./input.ts";
import { openRun, type Reader, streamRun } from "./stream.ts";

export interface AgUiHandlerOptions {
  /** `null` for nobody: the answer is 401. The function that `c.handler` takes can be given here too. */
  authorize(request: Request): Authorization | null | Promise<Authorization | null>;
  /** The agent that answers; the first of the program if none is given. */
  readonly agent?: string;
}

const OPTIONS: KnownOptions<AgUiHandlerOptions> = { authorize: true, agent: true };

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/**
 * A handler for the address that a client of the protocol is given. It takes the last message of the thread, once for each id, and
 * streams the answer; a request without a new message has the messages, and the answer that is not complete.
 */
export function agUiHandler(
  c: Continuo,
  options: AgUiHandlerOptions,
): (request: Request) => Promise<Response> {
  assertKnownOptions("agUiHandler", options, OPTIONS);
  return async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
    try {
      const allowed = await options.authorize(request);
      if (allowed === null) throw unknownCaller();
      const asked = await readAskedRun(request);
      const reader = readerOf(allowed, asked.threadId);
      await answerInterrupts(c, asked, reader);
      const run = await openRun(c, { asked, reader, ...present({ agent: options.agent }) });
      const sending = { signal: request.signal, headers: HEADERS, keepAlive: ":\n\n" };
      return streamResponse(sending, async function* (signal) {
        for await (const event of streamRun(c, run, signal)) yield `data: ${JSON.stringify(event)}\n\n`;
      });
    } catch (error) {
      return toErrorResponse(error);
    }
  };
}

/** Errors: `forbidden`. */
function readerOf({ sessions = [], access, approve = false, by }: Authorization, threadId: string): Reader {
  const names = typeof sessions === "string" ? [sessions] : sessions;
  if (!names.some((name) => coversName(name, threadId))) {
    throw new ContinuoError("forbidden", `the thread ${JSON.stringify(threadId)} is not theirs`);
  }
  return { canWrite: access === "write", canApprove: approve, by };
}

/** Answers questions of the agent. Errors: `forbidden`, `not_found`. */
async function answerInterrupts(c: Continuo, { threadId, answers }: AskedRun, reader: Reader): Promise<void> {
  if (answers.length > 0 && !reader.canApprove) {
    throw new ContinuoError("forbidden", "they may not answer questions of the agent");
  }
  for (const { interruptId, outcome, reason } of answers) {
    const approval = await c.approvals.get(interruptId);
    // A question that is gone needs no answer: the stream shows what became of it.
    if (approval?.status !== "open") continue;
    if (approval.sessionId !== threadId) {
      throw new ContinuoError("not_found", `there is no interrupt ${JSON.stringify(interruptId)}`);
    }
    try {
      await c.approvals.resolve(interruptId, { outcome, ...present({ by: reader.by, reason }) });
    } catch (error) {
      // Somebody else was faster, and their answer counts; or the run has just ended, which the stream shows.
      if (!isContinuoError(error, "conflict") && !isContinuoError(error, "run_ended")) throw error;
    }
  }
}
