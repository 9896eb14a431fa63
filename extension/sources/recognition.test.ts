/**
 * Speech recognition with a stand-in for the browser's, which is started again after a silence and not after a refusal.
 */

import { expect, onTestFinished, test, vi } from "vitest";
import { LIMITS } from "../limits.ts";
import { installSpeech, localSpeech, recognise } from "./recognition.ts";

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
  const stop = recognise(
    { lang: "en", isLocal: false },
    { mediaTimeMs: () => 0, began: said, said, failed: (why) => refused.push(why?.message ?? null) },
  );
  vi.advanceTimersByTime(60_000);
  void stop("keep");
  return { starts, refused };
}

test.each([
  ["not-allowed", "the browser does not allow the microphone"],
  ["service-not-allowed", "this browser does not recognise speech"],
  ["language-not-supported", "this browser does not recognise the language"],
  ["bad-grammar", "the browser's recognition of speech failed: bad-grammar"],
])(
  "a browser that refuses to recognise speech with %s is asked once, and the panel gets the reason",
  (error, message) => {
    expect(minuteOf(error)).toEqual({ starts: 1, refused: [message] });
  },
);

test("an error that another try may solve is tried again, and the panel gets it each time", () => {
  for (const [error, message] of [
    ["network", "the browser does not reach its service for speech"],
    ["audio-capture", "there is no microphone, or another program has it"],
  ] as const) {
    const { starts, refused } = minuteOf(error);
    expect([starts, new Set(refused)]).toEqual([61, new Set([message])]);
  }
});

test("recognition that ended after a silence begins again without an error", () => {
  for (const error of [null, "no-speech", "aborted"]) {
    expect(minuteOf(error)).toEqual({ starts: 61, refused: [] });
  }
});

test("a track is used instead of the microphone, and its last words arrive before the end", async () => {
  const heard: unknown[] = [];
  class StandIn {
    processLocally = false;
    onresult: ((event: object) => void) | null = null;
    onend: (() => void) | null = null;
    start(track?: object): void {
      heard.push([track, this.processLocally]);
    }
    stop(): void {
      queueMicrotask(() => {
        const result = Object.assign([{ transcript: " the last words " }], { isFinal: true });
        this.onresult?.({ resultIndex: 0, results: [result] });
        this.onend?.();
      });
    }
  }
  vi.stubGlobal("SpeechRecognition", StandIn);
  onTestFinished(() => void vi.unstubAllGlobals());
  const track = { kind: "audio" };
  const said: string[] = [];
  const close = recognise(
    { lang: "en", isLocal: true, track },
    {
      mediaTimeMs: () => 0,
      began: () => undefined,
      said: ({ text }) => said.push(text),
      failed: () => undefined,
    },
  );
  await close("keep");
  expect([heard, said]).toEqual([[[track, true]], ["the last words"]]);
});

test("a browser that never ends its recognition delays nothing", async () => {
  vi.useFakeTimers();
  const nothing = (): void => undefined;
  vi.stubGlobal(
    "SpeechRecognition",
    class {
      readonly start = nothing;
      readonly stop = nothing;
    },
  );
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const close = recognise(
    { lang: "en", isLocal: true, track: {} },
    { mediaTimeMs: () => 0, began: nothing, said: nothing, failed: nothing },
  );
  const ended = Promise.resolve(close("keep")).then(() => "ended");
  await vi.advanceTimersByTimeAsync(LIMITS.lastWordsMs);
  expect(await ended).toBe("ended");
});

test.each([
  ["available", "available"],
  ["downloadable", "downloadable"],
  ["a state of a later browser", "unavailable"],
])("a browser that answers %s is asked for this machine only", async (answer, state) => {
  const asked: object[] = [];
  const StandIn = {
    available: async (options: object) => {
      asked.push(options);
      return answer;
    },
    install: async () => {
      throw new Error("no room");
    },
  };
  vi.stubGlobal("SpeechRecognition", StandIn);
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(await localSpeech("de-AT")).toBe(state);
  expect(asked).toEqual([{ langs: ["de-AT"], processLocally: true }]);
  expect(await installSpeech("de-AT")).toBe(false);
});
