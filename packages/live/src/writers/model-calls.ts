/**
 * Measures calls of models by OpenTelemetry's conventions for generative AI, and stops them by a circuit breaker. After
 * 5 failed batches in a row, no batch is tried for 30 s; then one batch is tried.
 */

import { isContinuoError, type Usage } from "@continuo/core/model";
import { LIMITS, record } from "../kit/index.ts";

interface ModelAnswer {
  /** If a writer has no model, only its failures are recorded. */
  readonly model?: string;
  readonly usage?: Usage;
}

/** The operation is `invoke_agent`, because one call of a writer can be several calls of its model. */
export async function measureCall<Answer extends ModelAnswer>(
  writer: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const beganMs = performance.now();
  const seconds = (): number => (performance.now() - beganMs) / 1_000;
  const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": writer };
  try {
    const answer = await call();
    const { model, usage } = answer;
    if (model === undefined) return answer;
    const named = { ...attributes, "gen_ai.request.model": model };
    record("gen_ai.client.operation.duration", seconds(), named);
    for (const [type, tokens] of [
      ["input", usage?.inputTokens],
      ["output", usage?.outputTokens],
    ] as const) {
      if (tokens !== undefined)
        record("gen_ai.client.token.usage", tokens, { ...named, "gen_ai.token.type": type });
    }
    return answer;
  } catch (error) {
    const type = isContinuoError(error) ? error.code : "_OTHER";
    record("gen_ai.client.operation.duration", seconds(), { ...attributes, "error.type": type });
    throw error;
  }
}

export interface Breaker {
  readonly failures: number;
  /** No batch is tried before this time. */
  readonly openUntilMs: number | null;
}

export const CLOSED_BREAKER: Breaker = { failures: 0, openUntilMs: null };

export function mayTry({ openUntilMs }: Breaker, nowMs: number): boolean {
  return openUntilMs === null || nowMs >= openUntilMs;
}

export function afterFailure({ failures }: Breaker, nowMs: number): Breaker {
  const next = failures + 1;
  return { failures: next, openUntilMs: next < LIMITS.breakerFailures ? null : nowMs + LIMITS.breakerMs };
}

/** The pause before a further try of the same batch: 1, 2, 4 s. */
export function retryMs(tried: number): number {
  return LIMITS.firstRetryMs * 2 ** (tried - 1);
}
