/** A conversation as a server would use it: in this process, without a terminal. */

import { join } from "node:path";
import { openTalk, type Talk, type TalkFlags } from "@continuo/agents/conversations";
import type { NewEvent } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { cancelRun, startRun, wake } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { cleanEnv } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";

function talkIn(
  home: TalkHome,
  flags: TalkFlags = {},
  url = "memory:",
  open = () => openStore(url),
): Promise<Talk> {
  return openTalk({
    flags,
    places: { home: home.path, cwd: join(home.path, "project"), env: cleanEnv(home.path) },
    openStore: open,
    keepOpen: "session",
    note: () => undefined,
    onProgress: () => undefined,
  });
}

const onEvent = async (): Promise<void> => undefined;

test("turns and changes that are requested at the same time run one after another, in one session", async () => {
  using home = createTalkHome();
  await using talk = await talkIn(home);
  const { signal } = new AbortController();
  const turns = [
    talk.say("one", { onEvent, signal }),
    talk.setTitle("numbers"),
    talk.say("two", { onEvent, signal }),
  ];
  const [one, , two] = await Promise.all(turns);
  expect(home.prompts()).toEqual(["one", "two"]);
  expect(one).toMatchObject({ isKept: true, result: { status: "completed" } });
  expect(two).toMatchObject({ session: { sessionId: talk.session?.sessionId, title: "numbers" } });
  const { items } = await (await talk.store()).listSessions();
  expect(items).toHaveLength(1);
});

test("the state of a conversation is plain data, and a change that fails leaves it as it was", async () => {
  using home = createTalkHome();
  await using talk = await talkIn(home);
  await talk.say("one", { onEvent, signal: new AbortController().signal });
  const before = talk.state;
  expect(JSON.parse(JSON.stringify(before))).toEqual(before);
  await expect(talk.switchAgent("nobody")).rejects.toMatchObject({ code: "not_found" });
  await expect(talk.setMode("no such mode")).rejects.toThrow();
  expect(talk.state).toEqual(before);
  await talk.say("two", { onEvent, signal: new AbortController().signal });
  expect(home.prompts()).toEqual(["one", "two"]);
});

test.each([
  ["the same words again are a retry of the turn that nobody answered", "go", true],
  ["other words are a question of their own", "stop", false],
])("after a crash %s", async (_, words, isRetry) => {
  using home = createTalkHome();
  const url = `sqlite:${join(home.path, "sessions.db")}`;
  const { sessionId, runId } = await crashedTurn(url, join(home.path, "project"));
  await using talk = await talkIn(home, { resume: sessionId }, url);
  await talk.say(words, { onEvent, signal: new AbortController().signal });
  const store = await talk.store();
  const [, run] = (await store.listRuns({ sessionId })).items;
  expect(run?.metadata.retryOf).toBe(isRetry ? runId : undefined);
  expect((await wake(store, sessionId)).unprocessed).toHaveLength(isRetry ? 0 : 1);
  // The prompt is stored once, and the agent receives it once.
  const { events } = await store.read(sessionId, { types: ["message_sent"] });
  expect(events.map(({ data }) => (data as { content: string }).content)).toHaveLength(isRetry ? 1 : 2);
  expect(
    home
      .prompts()
      .join("\n")
      .match(/\bgo\b/gu),
  ).toHaveLength(1);
});

test("after a crash each interrupted prompt continues when its text is sent again, in any order", async () => {
  using home = createTalkHome();
  const url = `sqlite:${join(home.path, "sessions.db")}`;
  const cwd = join(home.path, "project");
  const first = await crashedTurn(url, cwd, "first");
  const { sessionId } = first;
  const second = await crashedTurn(url, cwd, "second", sessionId);
  const third = await crashedTurn(url, cwd, "third", sessionId);
  const say = async (talk: Talk, words: string): Promise<unknown> => {
    const { result } = await talk.say(words, { onEvent, signal: new AbortController().signal });
    return (await (await talk.store()).getRun(result.run.runId))?.metadata.retryOf;
  };
  {
    await using editor = await talkIn(home, { resume: sessionId }, url);
    expect(await say(editor, "second")).toBe(second.runId);
    expect(await say(editor, "first")).toBe(first.runId);
    expect(await say(editor, "something else")).toBeUndefined();
    expect(await say(editor, "third")).toBeUndefined();
  }
  await using other = await talkIn(home, { resume: sessionId }, url);
  expect(await say(other, "third")).toBe(third.runId);
});

test("a prompt that another process repeats at the same moment is sent as a separate prompt", async () => {
  using home = createTalkHome();
  const url = `sqlite:${join(home.path, "sessions.db")}`;
  const { sessionId, runId } = await crashedTurn(url, join(home.path, "project"), "go");
  let isTaken = false;
  const openTaken = async (): Promise<OpenedStore> => {
    const store = await openStore(url);
    return new Proxy(store, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        return async (...given: unknown[]) => {
          // The other process is faster, and then cancels its run.
          const isRetry =
            key === "createRun" || (key === "append" && JSON.stringify(given).includes("retryOf"));
          if (isRetry && !isTaken) {
            isTaken = true;
            await cancelRun(store, (await startRun(store, sessionId, "go", { retryOf: runId })).runId);
          }
          return await value.apply(target, given);
        };
      },
    });
  };
  await using talk = await talkIn(home, { resume: sessionId }, url, openTaken);
  const { result } = await talk.say("go", { onEvent, signal: new AbortController().signal });
  expect([isTaken, result.status]).toEqual([true, "completed"]);
  expect((await (await talk.store()).getRun(result.run.runId))?.metadata.retryOf).toBeUndefined();
});

/** A turn whose process died after the question was stored. */
async function crashedTurn(url: string, cwd: string, words = "go", earlier?: string) {
  await using store = await openStore(url);
  const sessionId = earlier ?? (await store.createSession({ agent: "robot", cwd, title: "crash" })).sessionId;
  const { runId } = await startRun(store, sessionId, words);
  const begun: NewEvent[] = [
    { type: "run_started", data: { runId }, runId },
    { type: "message_sent", data: { content: [{ type: "text", text: words }] }, runId },
  ];
  await store.append(sessionId, begun, { also: [{ type: "run", runId, to: "running" }] });
  const end: NewEvent = { type: "run_interrupted", data: { runId, reason: "gone" }, runId };
  await store.append(sessionId, [end], { also: [{ type: "run", runId, to: "interrupted" }] });
  return { sessionId, runId };
}
