import { afterEach, expect, test, vi } from "vitest";
import { askTool } from "./ask-tool.ts";
import type { QuestionChannels, ToolContext } from "./tool-context.ts";

test("a call that its client cancelled no longer waits for the answer", async () => {
  const stop = new AbortController();
  const looked = Promise.withResolvers<void>();
  let looks = 0;
  const asking: QuestionChannels = {
    channels: ["team"],
    present: async () => [],
    ask: async () => undefined,
    replyTo: async () => {
      looks++;
      looked.resolve();
      return null;
    },
  };
  const context = { asking, mask: (text: string) => text } as unknown as ToolContext;
  const question = { question: "Which port?", to: "codex", waitSeconds: 60 };
  const answer = Promise.resolve(askTool.call(question, context, stop.signal));
  const ended = expect(answer).rejects.toMatchObject({ name: "AbortError" });
  await looked.promise;
  stop.abort();
  await ended;
  expect(looks).toBe(1);
});

afterEach(() => void vi.restoreAllMocks());

/** Channels whose agent never answers. */
function silent(handles: readonly string[] = []): { readonly asking: QuestionChannels; looks: number } {
  const played = {
    looks: 0,
    asking: {
      channels: ["team"],
      present: async () => handles,
      ask: async () => undefined,
      replyTo: async () => {
        played.looks += 1;
        return null;
      },
    } as QuestionChannels,
  };
  return played;
}

async function ask(asking: QuestionChannels, args: object) {
  const context = { asking, mask: (text: string) => text } as unknown as ToolContext;
  const given = askTool.input.parse(args);
  return await askTool.call(given, context, new AbortController().signal);
}

test("an answer is waited for as many seconds as were asked for", async () => {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const played = silent();
  const { replyTo } = played.asking;
  const slow: QuestionChannels = {
    ...played.asking,
    replyTo: async (asked) => {
      nowMs += 999;
      return await replyTo(asked);
    },
  };
  const { data } = await ask(slow, { question: "Which port?", to: "codex", waitSeconds: 1 });
  expect([data.status, played.looks]).toEqual(["waiting", 2]);
});

test("a question without words asks nobody, and lists who is there", async () => {
  const { asking } = silent(["codex"]);
  const refusing = { ...asking, ask: () => Promise.reject(new Error("nobody is asked")) };
  const { data } = await ask(refusing, { question: "  \n" });
  expect(data).toMatchObject({ status: "list", there: [{ channel: "team", handles: ["codex"] }] });
});

test("invisible characters of a handle are shown", async () => {
  const to = "co\u{202E}dex";
  const { text } = await ask(silent().asking, { question: "Which port?", to, waitSeconds: 0 });
  expect(text).not.toContain("\u{202E}");
});
