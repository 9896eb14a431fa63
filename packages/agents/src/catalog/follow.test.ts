import { join } from "node:path";
import type { PlacesAt } from "@continuo/files";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { follow } from "./follow.ts";
import { lookUp } from "./look-up.ts";
import { openOwn } from "./store.ts";

test("a text that grows is given once: each time only with what is new", async () => {
  const home = scratchFolder("follow");
  const places: PlacesAt = { home, cwd: home, env: { CONTINUO_HOME: join(home, ".continuo") } };
  await using store = await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
  const { sessionId } = await store.createSession({});
  const actor = { kind: "agent" } as const;
  const add = async (type: string, data: object): Promise<void> => {
    await store.append(sessionId, [{ type, actor, data: { messageId: "m", ...data } }]);
  };
  await add("message_streamed", { delta: "The counter " });
  const stop = new AbortController();
  await using own = await openOwn(places);
  const located = await lookUp(`continuo:${sessionId}`, { places, store: own });
  const given: string[] = [];
  const then = [
    () => add("message_streamed", { delta: "is reset " }),
    () => add("message_received", { content: "The counter is reset inside." }),
    async () => stop.abort(),
  ];
  for await (const { message, update } of follow(located, places, {
    from: "start",
    signal: stop.signal,
    pollMs: 5,
  })) {
    given.push(`${update} ${message.content.map((block) => ("text" in block ? block.text : "")).join("")}`);
    await then[given.length - 1]?.();
  }
  expect(given).toEqual(["new The counter ", "more is reset ", "more inside."]);
});
