/**
 * The handler of fetch requests to which clients of the protocol post: it checks permissions, and streams the answer.
 */

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
  patternsOf,
  streamResponse,
  toErrorResponse,
  unknownCaller,
} from "@continuo/server/runtime";
import { type RunRequest, readAskedRun } from "./input.ts";
import { openRun, type Reader, streamRun } from "./stream.ts";

export interface AgUiHandlerOptions {
  /** `null` refuses the request with 401. The function for `c.handler` can also be used here. */
  authorize(request: Request): Authorization | null | Promise<Authorization | null>;
  /**
   * The agent that answers; by default the first one in `agents` of `authorize`, else the first agent of the program.
   */
  readonly agent?: string;
}

const OPTIONS: KnownOptions<AgUiHandlerOptions> = { authorize: true, agent: true };

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/**
 * Returns a handler for the address of a client of the protocol. It stores the last message of the thread, once for
 * each id, and streams the answer. A request without a new message gets the messages, and the answer in progress.
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
      const described = present({ agent: options.agent ?? allowed.agents?.[0] });
      const run = await openRun(c, { asked, reader, newSession: allowed.newSession, ...described });
      const sending = { from: request, headers: HEADERS, keepAlive: ":\n\n" };
      return streamResponse(sending, async function* (signal) {
        for await (const event of streamRun(c, run, signal)) yield `data: ${JSON.stringify(event)}\n\n`;
      });
    } catch (error) {
      return toErrorResponse(error);
    }
  };
}

/** Errors: `forbidden`. */
function readerOf({ sessions, access, approve = false, by }: Authorization, threadId: string): Reader {
  if (!patternsOf("sessions", sessions).some((pattern) => coversName(pattern, threadId))) {
    throw new ContinuoError("forbidden", `the thread ${JSON.stringify(threadId)} belongs to another caller`);
  }
  // A thread is the chat of its session, so the access `chat` is enough to write.
  return { canWrite: access !== "read", canApprove: approve, by };
}

/** Answers questions of the agent. Errors: `forbidden`, `not_found`. */
async function answerInterrupts(
  c: Continuo,
  { threadId, answers }: RunRequest,
  reader: Reader,
): Promise<void> {
  if (answers.length > 0 && !reader.canApprove) {
    throw new ContinuoError("forbidden", "the caller may not answer questions of the agent");
  }
  for (const { interruptId, outcome, reason } of answers) {
    const approval = await c.approvals.get(interruptId);
    // A question that is no longer open needs no answer; the stream shows its outcome.
    if (approval?.status !== "open") continue;
    if (approval.sessionId !== threadId) {
      throw new ContinuoError("not_found", `there is no interrupt ${JSON.stringify(interruptId)}`);
    }
    try {
      await c.approvals.resolve(interruptId, { outcome, ...present({ by: reader.by, reason }) });
    } catch (error) {
      // Another person answered earlier, and that answer counts; or the run has just ended, which the stream shows.
      if (!isContinuoError(error, "conflict") && !isContinuoError(error, "run_ended")) throw error;
    }
  }
}
