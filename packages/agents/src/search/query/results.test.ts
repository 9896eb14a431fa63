/** A conversation that is in several sessions is one result. */

import { expect, test } from "vitest";
import type { IndexedSession } from "../../catalog/index.ts";
import { eachConversationOnce } from "./results.ts";

function found(name: string, trashId: string | null = null, continues: readonly string[] = []) {
  const [agent, sessionId] = name.split(":");
  const nativeRefs = continues.map((one) => {
    const [of, id] = one.split(":");
    return { agent: of, sessionId: id };
  });
  return { session: { agent, sessionId, trashId, nativeRefs } as unknown as IndexedSession };
}

const namesOf = (results: ReturnType<typeof eachConversationOnce<ReturnType<typeof found>>>): string[] =>
  results.map(({ session }) => `${session.agent}:${session.sessionId}`);

test("a native session is left out if the session of Continuo's that continues in it is found", () => {
  const own = found("continuo:a", null, ["claude:1"]);
  expect(namesOf(eachConversationOnce([own, found("claude:1"), found("claude:2")]))).toEqual([
    "continuo:a",
    "claude:2",
  ]);
  expect(namesOf(eachConversationOnce([own, found("claude:1", "then-1")]))).toEqual(["continuo:a"]);
});

test("a session of Continuo's in the trash replaces its native session there, and none outside of the trash", () => {
  const own = found("continuo:a", "then-a", ["claude:1", "codex:2"]);
  const results = [own, found("claude:1", "then-1"), found("codex:2")];
  expect(namesOf(eachConversationOnce(results))).toEqual(["continuo:a", "codex:2"]);
});
