/** Runs as a response in the UI message stream of the AI SDK, for `useChat`. */

import type { KnownEvent } from "@continuo/core/model";
import { type FailureText, failureOf } from "./failure-text.ts";
import { type StreamOptions, streamResponse } from "./sse.ts";
import { createUIFold, type UIChunk } from "./ui-chunks.ts";

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};

/** A run whose events are read with `open`; its answer has the id `messageId`. */
export interface StreamedRun {
  readonly messageId: string;
  readonly open: (over: { readonly signal: AbortSignal }) => AsyncIterable<KnownEvent>;
}

/**
 * The answers of runs, one after the other. A reader that disappears ends the stream, and never the run. A stream that
 * the signal of `from` ends does not report the end of the run, because its reader returns.
 */
export function toUIMessageResponse(
  runs: readonly (StreamedRun | Promise<StreamedRun>)[],
  { from, failureText }: Pick<StreamOptions, "from"> & { readonly failureText: FailureText },
): Response {
  return streamResponse({ from, headers: HEADERS }, async function* (over) {
    try {
      for (const [place, run] of runs.entries()) {
        const { messageId, open } = await run;
        const fold = createUIFold(messageId, failureText);
        for await (const event of open({ signal: over })) {
          for (const chunk of fold.take(event)) yield lineOf(chunk);
        }
        if (over.aborted) return;
        const isLast = place === runs.length - 1;
        // The SDK reads nothing after an error.
        for (const chunk of fold.end()) if (isLast || chunk.type !== "error") yield lineOf(chunk);
      }
    } catch (error) {
      if (over.aborted) return;
      yield lineOf({ type: "error", errorText: failureText(failureOf(error)) });
    }
    yield "data: [DONE]\n\n";
  });
}

function lineOf(chunk: UIChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
