/** Speech recognition by a stand-in for the browser's, which is asked again after a silence and not after a refusal. */

import { expect, onTestFinished, test, vi } from "vitest";
import { recognise } from "./recognition.ts";

interface Recognised {
  readonly starts: number;
  readonly refused: readonly unknown[];
}

/** A minute of a browser whose recognition ends at once, with an error or without. */
function minuteOf(error: string | null): Recognised {
  vi.useFakeTimers();
  let starts = 0;
  class StandIn {
    onerror: ((event: { readonly error: string }) => void) | null = null;
    onend: (() => void) | null = null;
    start(): void {
      starts++;
      if (error !== null) this.onerror?.({ error });
      this.onend?.();
    }
    stop(): void {
      this.onend = null;
    }
  }
  vi.stubGlobal("webkitSpeechRecognition", StandIn);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const refused: unknown[] = [];
  const said = (): void => undefined;
  const stop = recognise("en", {
    mediaTimeMs: () => 0,
    began: said,
    said,
    refused: (why) => refused.push(why),
  });
  vi.advanceTimersByTime(60_000);
  stop();
  return { starts, refused };
}

test("a browser that refuses to recognise speech is asked once, and the panel hears why", () => {
  const { starts, refused } = minuteOf("not-allowed");
  expect([starts, refused.length]).toEqual([1, 1]);
  expect(refused[0]).toMatchObject({ name: "NotAllowedError" });
});

test("recognition that ended after a silence, or for want of a network, begins again", () => {
  expect(minuteOf(null)).toEqual({ starts: 61, refused: [] });
  expect(minuteOf("network")).toEqual({ starts: 61, refused: [] });
});
