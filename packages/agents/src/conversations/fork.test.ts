import { lookUpSession } from "@continuo/native";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { CLAUDE_ID, cleanEnv, createHome, writeSessions } from "../../../../test/cli/home.ts";
import { forkOrigin } from "./fork.ts";
import { nativeIdOf } from "./native-id.ts";

const SHORT_ID = CLAUDE_ID.slice(0, 8);

test.each([
  ["has a native session of its own, with the messages of the original", CLAUDE_ID, CLAUDE_ID, true],
  [
    "has none if others wrote since the last turn of the agent",
    CLAUDE_ID,
    "5e55a000-0000-4000-8000-000000000009",
    false,
  ],
  ["has none if that session is gone, and a longer id begins with its id", SHORT_ID, SHORT_ID, false],
])("the fork of a session that an agent continued %s", async (_, claudeId, lastNativeId, isForked) => {
  using home = createHome();
  writeSessions(home);
  await using store = await openStore("memory:");
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const { sessionId } = await store.createSession({ agent: "claude", cwd: home.path });
  await store.append(sessionId, [{ type: "message_sent", data: { content: "Fix the build" } }]);
  const claude = { sessionId: claudeId, baseSequence: 1, state: "live" };
  const metadata = { providerSessionId: lastNativeId, providerSessions: { claude } };
  const session = await store.updateSession(sessionId, { metadata });
  const forked = await forkOrigin({ type: "own", session }, { store, places, cwd: home.path });
  expect(forked).toMatchObject({ messages: 1, leftOut: 0 });
  const nativeId = nativeIdOf(forked.session, "claude");
  expect(nativeId).not.toBe(CLAUDE_ID);
  expect(nativeId !== null).toBe(isForked);
  if (nativeId === null) return;
  const copy = await lookUpSession(`claude:${nativeId}`, { places });
  expect(copy.found.files).toHaveLength(1);
});
