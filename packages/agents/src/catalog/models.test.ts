import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { openModels } from "./models.ts";
import type { ListedSession } from "./rows.ts";

test("the models of an own session are those that answered in it, each once", async () => {
  const home = scratchFolder("models");
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const answers = ["model-a", "model-b", undefined, "model-a"];
  await store.append(sessionId, [
    { type: "message_sent", data: { content: "why?", model: "asked" } },
    ...answers.map((model) => ({ type: "message_received", data: { content: "because", model } })),
  ]);
  const models = openModels({ home, cwd: home, env: {} });
  const row = { agent: "continuo", sessionId } as ListedSession;
  const own = { store, location: "memory:", [Symbol.asyncDispose]: async () => undefined };
  expect(await models.of(row, own)).toEqual(["model-a", "model-b"]);
  expect(await models.of(row, null)).toEqual([]);
});
