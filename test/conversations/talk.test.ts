/** A conversation as a server would use it: in this process, without a terminal. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { openTalk, type Talk } from "../../src/conversations/index.ts";
import { openStore } from "../../src/store/index.ts";
import { cleanEnv } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";

function talkIn(home: TalkHome): Promise<Talk> {
  return openTalk({
    flags: {},
    places: { home: home.path, cwd: join(home.path, "project"), env: cleanEnv(home.path) },
    openStore: () => openStore("memory:"),
    keepOpen: "session",
    note: () => undefined,
    onProgress: () => undefined,
  });
}

const onEvent = async (): Promise<void> => undefined;

test("turns and changes that are asked for at once happen one after another, in one session", async () => {
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
