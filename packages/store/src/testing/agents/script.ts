/**
 * The script of an agent for a turn: a list of steps. They are plain data, except for functions that return the result
 * of a call.
 */

import type { AgentEvent, AgentResult, ToolStatus, Usage } from "@continuo/core/model";

export type Step =
  /**
   * A whole message. After a `stream` without a `messageId` it ends the streamed message if it begins with its text;
   * otherwise it is a message of its own, after the streamed one.
   */
  | { readonly say: string }
  /** Parts of one message; `times` repeats all of them. */
  | { readonly stream: readonly string[]; readonly messageId?: string; readonly times?: number }
  | { readonly think: string }
  /**
   * A tool call, with its result where there is one. With `ask` a person is asked first, and may deny it. A function is
   * called when the tool runs, so not after a denial, and returns the result; if it throws, the turn fails.
   */
  | {
      readonly call: string;
      readonly id: string;
      readonly input?: unknown;
      readonly ask?: boolean;
      readonly result?: string | (() => string | Promise<string>);
      readonly status?: ToolStatus;
    }
  | { readonly usage: Usage; readonly costUsd?: number }
  /** Any other event of an agent. */
  | { readonly event: AgentEvent }
  /**
   * Waits for a number of milliseconds; `abort`: until the turn is cancelled, and then fails as agents do; `forever`:
   * without an end, even if the turn is cancelled.
   */
  | { readonly wait: number | "abort" | "forever" }
  /** Throws. With a code, the error is a `ContinuoError`. */
  | { readonly fail: string; readonly code?: "native_unavailable" | "agent_failed" | "agent_missing" }
  /** Ends the process at once, as a power cut would. */
  | { readonly crash: "SIGKILL" }
  /** Calls the function with this name in `hooks`, and waits for it. */
  | { readonly hook: string }
  /** The result that `execute` returns at the end of the turn. */
  | { readonly result: AgentResult };

export type Script = readonly Step[];
