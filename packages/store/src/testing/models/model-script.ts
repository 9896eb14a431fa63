/** The script of a model for one answer: a list of steps, as the parts of the stream of a language model. */

export type ModelStep =
  /** A text. */
  | { readonly say: string }
  /** A text in pieces. Several `stream` steps, with or without a `wait` between them, are pieces of one text. */
  | { readonly stream: readonly string[] }
  | { readonly think: string }
  /** Structured output: the value as JSON. */
  | { readonly value: unknown }
  /** A call of a tool. The next answer comes after its result. */
  | { readonly call: string; readonly input?: unknown; readonly id?: string }
  /** Waits for a number of milliseconds, or until the caller aborts. */
  | { readonly wait: number | "abort" }
  /** An error of the provider, with the status of its response if it has one. The answer ends there. */
  | { readonly fail: string; readonly status?: number }
  /** The end of the answer. By default `stop`, or `tool-calls` after a call. */
  | { readonly finish: FinishReason }
  /** The tokens that the provider reports; 1 and 1 by default. */
  | { readonly usage: { readonly inputTokens: number; readonly outputTokens: number } };

export type ModelScript = readonly ModelStep[];

type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

/** A part of the stream of a language model, as `LanguageModelV4StreamPart` of `@ai-sdk/provider` has it. */
export type ModelPart =
  | { readonly type: "stream-start"; readonly warnings: [] }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: string;
    }
  | { readonly type: "error"; readonly error: Error }
  | { readonly type: "finish"; readonly usage: ModelUsage; readonly finishReason: ModelFinish };

export interface ModelUsage {
  readonly inputTokens: {
    readonly total: number;
    readonly noCache: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly outputTokens: { readonly total: number; readonly text: number; readonly reasoning: number };
}

export interface ModelFinish {
  readonly unified: FinishReason;
  readonly raw: undefined;
}

/** The error of a provider. */
export function providerError({ fail, status }: Extract<ModelStep, { fail: string }>): Error {
  return Object.assign(new Error(fail), status === undefined ? {} : { statusCode: status });
}

/**
 * Yields the parts of one answer. After an error there are no others.
 *
 * @param answer the number of the answer, which makes the ids of its calls different from those of other answers
 */
export async function* partsOf(
  script: ModelScript,
  answer: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelPart, void> {
  yield { type: "stream-start", warnings: [] };
  let unified: FinishReason | undefined;
  let [input, output, hasCalls] = [1, 1, false];
  let streamed: string | null = null;
  for (const [place, step] of script.entries()) {
    if ("stream" in step) {
      if (streamed === null) {
        streamed = `part-${place + 1}`;
        yield { type: "text-start", id: streamed };
      }
      for (const delta of step.stream) yield { type: "text-delta", id: streamed, delta };
      continue;
    }
    if (streamed !== null && !("wait" in step)) {
      yield { type: "text-end", id: streamed };
      streamed = null;
    }
    if ("wait" in step) await wait(step.wait, signal);
    else if ("finish" in step) unified = step.finish;
    else if ("usage" in step) ({ inputTokens: input, outputTokens: output } = step.usage);
    else if ("fail" in step) {
      yield { type: "error", error: providerError(step) };
      return;
    } else if ("call" in step) {
      hasCalls = true;
      const { call: toolName, input: given = {}, id: toolCallId = `call-${answer}-${place + 1}` } = step;
      yield { type: "tool-call", toolCallId, toolName, input: JSON.stringify(given) };
    } else yield* words(step, `part-${place + 1}`);
  }
  if (streamed !== null) yield { type: "text-end", id: streamed };
  const usage = {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
  unified ??= hasCalls ? "tool-calls" : "stop";
  yield { type: "finish", usage, finishReason: { unified, raw: undefined } };
}

function* words(
  step: Extract<ModelStep, { say: string } | { think: string } | { value: unknown }>,
  id: string,
): Generator<ModelPart, void> {
  const kind = "think" in step ? "reasoning" : "text";
  yield { type: `${kind}-start`, id };
  yield { type: `${kind}-delta`, id, delta: textOf(step) };
  yield { type: `${kind}-end`, id };
}

function textOf(step: Parameters<typeof words>[0]): string {
  if ("say" in step) return step.say;
  return "think" in step ? step.think : JSON.stringify(step.value);
}

/** Errors: the reason of the signal. */
function wait(time: number | "abort", signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = time === "abort" ? undefined : setTimeout(leave, time);
    function leave(): void {
      signal?.removeEventListener("abort", stop);
      resolve();
    }
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
  });
}
