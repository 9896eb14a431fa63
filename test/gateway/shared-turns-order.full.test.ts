/** A turn of one process of the gateway, as editors at other processes see it: its parts, its order, and questions that two editors answer. */

import { describe, expect, test } from "vitest";
import { choose, questionsOf, say, sharedTurns, texts, withdrawnFrom } from "./shared-turns.ts";

const turns = sharedTurns();
const { openGateway, begun, load, storedAnswers, asked } = turns;

describe("a turn of another process", () => {
  test("is shown while it runs: the prompt, and each part of the answer before the next one", async () => {
    await using one = await openGateway();
    const id = await begun(one);
    await using two = await openGateway();
    await load(two, id);
    const running = say(one, id, "slowly");
    await expect.poll(() => texts(two, id, "user").at(-1)).toBe("slowly");
    await expect.poll(() => texts(two, id, "agent").at(-1)).toBe("One ");
    turns.home.write("on", "");
    await expect.poll(() => texts(two, id, "agent").at(-1)).toBe("One two ");
    turns.home.write("more", "");
    expect(await running).toEqual({ stopReason: "end_turn" });
    await expect.poll(() => texts(two, id, "agent").at(-1)).toBe("One two three.");
    expect(texts(two, id, "user")).toEqual(["hello", "slowly"]);
    expect([one.violations, two.violations]).toEqual([[], []]);
  });

  test("shows both editors the same order of messages if each prompts at the same time", async () => {
    await using one = await openGateway();
    const id = await begun(one);
    await using two = await openGateway();
    await load(two, id);
    const first = say(one, id, "slowly");
    await expect.poll(() => texts(two, id, "agent").at(-1)).toBe("One ");
    const second = say(two, id, "and now?");
    turns.home.write("on", "");
    turns.home.write("more", "");
    expect(await first).toEqual({ stopReason: "end_turn" });
    expect(await second).toEqual({ stopReason: "end_turn" });
    const said = ["You said: hello", "One two three.", "You said: and now?"];
    await expect.poll(() => texts(one, id, "agent")).toEqual(said);
    expect(texts(two, id, "agent")).toEqual(said);
    expect(texts(one, id, "user")).toEqual(["and now?"]);
    expect(texts(two, id, "user")).toEqual(["hello", "slowly"]);
  });
});

describe("a question of a turn of another process", () => {
  test("is withdrawn when the editor that prompted answers first, and a late answer changes nothing", async () => {
    const { one, two, id, running } = await asked();
    await using _one = one;
    await using _two = two;
    choose(one, "yes");
    await expect.poll(() => withdrawnFrom(two)).toEqual([questionsOf(two)[0]?.id]);
    choose(two, "no");
    expect(await running).toEqual({ stopReason: "end_turn" });
    expect(turns.home.answers().at(-1)).toMatchObject({ result: { outcome: { optionId: "yes" } } });
    expect(await storedAnswers(id)).toEqual([
      expect.objectContaining({ outcome: "granted", by: "person", optionId: "yes" }),
    ]);
  });

  test("that an editor dismisses is left to the other one", async () => {
    const { one, two, running } = await asked();
    await using _one = one;
    await using _two = two;
    const result = { outcome: { outcome: "cancelled" } };
    two.write(`${JSON.stringify({ jsonrpc: "2.0", id: questionsOf(two)[0]?.id, result })}\n`);
    choose(one, "yes");
    expect(await running).toEqual({ stopReason: "end_turn" });
    expect(turns.home.answers().at(-1)).toMatchObject({ result: { outcome: { optionId: "yes" } } });
  });
});
