/** Calls of note writers, measured by OpenTelemetry's conventions for generative AI. */

import { isContinuoError, type Usage } from "../model/index.ts";
import { record } from "./metrics.ts";

interface ModelAnswer {
  /** Nothing is recorded for a writer without a model. */
  readonly model?: string;
  readonly usage?: Usage;
}

/** `invoke_agent`: one call of a writer can be several of its model. */
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
