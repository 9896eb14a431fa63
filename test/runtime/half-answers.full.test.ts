/** A support desk is killed in the middle of an answer, and later its model receives this answer. */

import { join } from "node:path";
import { toModelMessages } from "@continuo/agents/model-agent";
import { toOpenAIMessages } from "@continuo/core/transcript";
import { openContinuo } from "@continuo/server/runtime";
import { expect, test } from "vitest";
import { startModelServer, text } from "../model-servers/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { DESK_SESSION, startDesk } from "./harness/started-desk.ts";

const WHOLE = "one two three four five six seven eight nine ten";

test("after three kills in one answer, the model later receives its question and the whole answer", {
  timeout: 180_000,
}, async () => {
  await using models = await startModelServer({
    turns: [
      { user: "count", answers: [[{ type: "slow", delayMs: 150 }, text(WHOLE)]] },
      { user: "thank", answers: [[text("You are welcome.")]] },
    ],
  });
  const folder = scratchFolder("half-answers");
  const url = `sqlite:${join(folder, "store.db")}`;
  const args = [url, `${models.url}/v1`, join(folder, "refunds")] as const;
  await using reader = await openContinuo(url, { work: false });
  const session = reader.session(DESK_SESSION, { create: true });
  const halves = async (): Promise<number> =>
    (await session.messages()).filter(({ stopReason }) => stopReason === "interrupted").length;
  const streamed = async (): Promise<boolean> => {
    const { events } = await reader.store.read(DESK_SESSION, { order: "newest", limit: 1 });
    return events[0]?.type === "message_streamed";
  };
  for (let kill = 0; kill < 3; kill++) {
    await using desk = await startDesk(args);
    desk.ask("m1", "Please count").catch(() => undefined);
    await expect.poll(streamed, { timeout: 60_000, interval: 20 }).toBe(true);
  }
  await using desk = await startDesk(args);
  await desk.ask("m1", "Please count");
  expect(await session.run("m1").result()).toMatchObject({ status: "completed", text: WHOLE });
  const conversation = ["user", "assistant"];
  const messages = await session.messages();
  expect(toOpenAIMessages(messages).messages.map(({ role }) => role)).toEqual(conversation);
  expect(toModelMessages(messages).messages.map(({ role }) => role)).toEqual(conversation);
  expect(await halves()).toBeGreaterThan(0);
  await desk.ask("m2", "I thank you");
  const { body } = models.conversation().at(-1) ?? {};
  const given = (body as { readonly messages: readonly { role: string; content: unknown }[] }).messages;
  expect(given.filter(({ role }) => role !== "system").map(({ content }) => JSON.stringify(content))).toEqual(
    [
      expect.stringContaining("Please count"),
      expect.stringContaining(WHOLE),
      expect.stringContaining("I thank you"),
    ],
  );
});
