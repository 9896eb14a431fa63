import { lookUpSession } from "@continuo/native";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { CLAUDE_ID, cleanEnv, createHome, writeSessions } from "../../../../test/cli/home.ts";
import { forkOrigin } from "./fork.ts";
import { nativeIdOf } from "./native-id.ts";

test.each([
  ["has a native session of its own, with the messages of the original", CLAUDE_ID, true],
  [
    "has none if others wrote since the last turn of the agent",
    "5e55a000-0000-4000-8000-000000000009",
    false,
  ],
])("the fork of a session that an agent continued %s", async (_, lastNativeId, isForked) => {
  using home = createHome();
  writeSessions(home);
  await using store = await openStore("memory:");
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const { sessionId } = await store.createSession({ agent: "claude", cwd: home.path });
  await store.append(sessionId, [{ type: "message_sent", data: { content: "Fix the build" } }]);
  const claude = { sessionId: CLAUDE_ID, baseSequence: 1, state: "live" };
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
