import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { createChanges, withChanges } from "./changes.ts";
import { createNewChats } from "./new-chat.ts";
import type { ChatParts } from "./parts.ts";

async function* nothing(): AsyncGenerator<never> {
  await new Promise(() => undefined);
}

test("a change between two checks is not missed, and each change wakes every waiting caller", async () => {
  const changes = createChanges();
  const seen = changes.version;
  changes.tell();
  await changes.after(seen);
  const waiting = [changes.after(changes.version), changes.after(changes.version)];
  changes.tell();
  await Promise.all(waiting);
  expect(changes.version).toBe(seen + 2);
});

test("a change that happens while its reader works is delivered at once, and not after the pause", async () => {
  const changes = createChanges();
  const items = withChanges(nothing(), changes, 3_600_000);
  const first = items.next();
  changes.tell();
  expect((await first).value).toBe("changed");
  changes.tell();
  expect((await items.next()).value).toBe("changed");
});

test("pages that follow the list learn of a conversation when its first prompt is stored", async () => {
  const changes = createChanges();
  const home = scratchFolder("new-chat");
  const said: number[] = [];
  const chat = {
    sessionId: "s",
    say: async () => {
      said.push(changes.version);
      return "run";
    },
  };
  const options = { places: { home, cwd: home, env: {} }, keyOfOwn: async () => "continuo:s" };
  const chats = { begin: async () => chat };
  const { begin } = createNewChats({ options, chats, changes } as unknown as ChatParts);
  const started = begin({ agent: "robot", cwd: home, text: "fix it" });
  expect(await started).toEqual({ key: "continuo:s", runId: "run" });
  expect([said, changes.version]).toEqual([[0], 1]);
});

test("a pause counts as a change, and a reader that stops ends the iterator", async () => {
  let isEnded = false;
  const items: AsyncIterator<never, unknown> = {
    next: () => new Promise(() => undefined),
    return: async () => {
      isEnded = true;
      return { done: true, value: undefined };
    },
  };
  const reader = withChanges(items, createChanges(), 1);
  expect((await reader.next()).value).toBe("changed");
  await reader.return();
  expect(isEnded).toBe(true);
});
