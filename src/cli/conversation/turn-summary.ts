/** The outcome of a turn: one line for the person, an error for the exit code. */

import { firstAndLast } from "@continuo/agents/drivers/process";
import {
  type ContextUse,
  ContinuoError,
  isContinuoError,
  isTurnComplete,
  knownCode,
  present,
  type Usage,
} from "@continuo/core/model";
import type { RunResult } from "@continuo/store/sessions";
import { formatCount } from "../terminal/index.ts";

/** `12 s · 1,234 tokens in, 56 out · $0.0123` */
export function describeTurn(
  { status, usage }: RunResult,
  durationMs: number,
  context: ContextUse | null = null,
): string {
  const how = status === "completed" ? "" : (ENDS[status] ?? status);
  const left = context === null ? "" : contextLeft(context);
  return [how, duration(durationMs), ...usageParts(usage), left].filter((part) => part !== "").join(" · ");
}

/** `63 % of the context left` */
export function contextLeft({ usedTokens, windowTokens }: ContextUse): string {
  const left = Math.max(0, windowTokens - usedTokens) / windowTokens;
  return `${Math.floor(left * 100)} % of the context left`;
}

const ENDS: Readonly<Record<string, string>> = {
  cancelled: "cancelled",
  failed: "failed",
  max_steps: "stopped at its limit of steps",
  timeout: "cancelled by the time limit",
};

export function usageParts(usage: Usage | undefined): string[] {
  if (usage === undefined) return [];
  const { inputTokens, outputTokens, costUsd } = usage;
  const read = (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  const tokens = `${formatCount(inputTokens + read)} tokens in, ${formatCount(outputTokens)} out`;
  return costUsd === undefined || costUsd === 0 ? [tokens] : [tokens, `$${costUsd.toFixed(4)}`];
}

function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** `null` for a turn that ended well; `signal` is the signal by which the person ends it. */
export function errorOf(result: RunResult, signal: AbortSignal): ContinuoError | null {
  const { status } = result;
  if (isTurnComplete(status)) return null;
  if (status === "timeout") {
    return new ContinuoError("agent_failed", "the turn was cancelled: it took longer than --timeout allows");
  }
  if (result.status === "failed") {
    const { error, cause } = result;
    const { details = {}, message } = error;
    const code = knownCode(error.code, "agent_failed");
    const own = isContinuoError(cause, code) ? cause.hint : undefined;
    const said = typeof details.stderr === "string" && details.stderr !== "" ? details.stderr : null;
    const hint = said === null ? (own ?? hintFor(error.code)) : `Read what it printed: ${firstAndLast(said)}`;
    return new ContinuoError(code, message, { details, ...present({ hint }) });
  }
  if (signal.aborted) return new ContinuoError("interrupted", `the turn was ${status}`);
  return new ContinuoError("agent_failed", `the turn was ${status} before the agent finished`);
}

function hintFor(code: string): string | undefined {
  if (code === "session_live") return "Close it there first, or continue a copy of it with --fork ID.";
  return code === "agent_missing" ? "Run `continuo agents` to see how to install it." : undefined;
}
