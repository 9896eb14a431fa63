/** A support desk is killed in the first of two answers: the questions keep their order. */

import { join } from "node:path";
import { textOf } from "@continuo/core/model";
import { openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { startModelServer, text } from "../model-servers/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { DESK_SESSION, startDesk } from "./harness/started-desk.ts";

const WHOLE = "one two three four five six seven eight nine ten";

test.each([
  ["sqlite", "is restarted"],
  ["sqlite", "has another process on standby"],
  ["postgres", "has another process on standby"],
] as const)(
  "on %s, a killed desk that %s answers the question that was cut off before the later one",
  { timeout: 180_000 },
  async (engine, after) => {
    await using models = await startModelServer({
      turns: [
        // It takes longer than the start of a process on a busy machine.
        { user: "count", answers: [[{ type: "slow", delayMs: 1_500 }, text(WHOLE)]] },
        { user: "thank", answers: [[text("You are welcome.")]] },
      ],
    });
    const folder = scratchFolder("retry-order");
    const url = engine === "sqlite" ? `sqlite:${join(folder, "store.db")}` : await newPostgresDatabase();
    await (await openStore(url, { migrate: true })).close();
    const args = [url, `${models.url}/v1`, join(folder, "refunds")] as const;
    await using reader = await openContinuo(url, { work: false });
    const session = reader.session(DESK_SESSION, { create: true });
    const isStreaming = async (): Promise<boolean> => {
      const { events } = await reader.store.read(DESK_SESSION, { order: "newest", limit: 1 });
      return events[0]?.type === "message_streamed";
    };
    await using killed = await startDesk(args);
    killed.ask("m1", "Please count").catch(() => undefined);
    await expect.poll(isStreaming, { timeout: 60_000, interval: 20 }).toBe(true);
    await session.send("I thank you", { id: "m2", agent: "desk" });
    await using standby = after === "is restarted" ? null : await startDesk(args);
    await killed.kill();
    await using restarted = standby === null ? await startDesk(args) : null;
    expect(restarted ?? standby).not.toBeNull();
    for (const id of ["m1", "m2"]) {
      expect(await session.run(id).result()).toMatchObject({ status: "completed" });
    }
    const messages = (await session.messages()).filter(({ stopReason }) => stopReason !== "interrupted");
    expect(messages.map(({ content }) => textOf(content))).toEqual([
      "Please count",
      expect.stringContaining("interrupted"),
      WHOLE,
      "I thank you",
      "You are welcome.",
    ]);
    const { body } = models.conversation().at(-1) ?? {};
    const given = (body as { readonly messages: readonly { role: string; content: unknown }[] }).messages;
    expect(given.slice(-3).map(({ content }) => JSON.stringify(content))).toEqual([
      expect.stringContaining("Please count"),
      expect.stringContaining(WHOLE),
      expect.stringContaining("I thank you"),
    ]);
  },
);
