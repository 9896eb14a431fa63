/** A turn of one process of the gateway, as editors at other processes see it while it runs. */

import { describe, expect, test } from "vitest";
import type { Json } from "../acp/conformance/wire.ts";
import { choose, questionsOf, say, sharedTurns, texts, withdrawnFrom } from "./shared-turns.ts";

const turns = sharedTurns();
const { openGateway, begun, load, storedAnswers, asked } = turns;

describe("a turn of another process", () => {
  test("is shown once to an editor that loads the session in the middle of it", async () => {
    await using one = await openGateway();
    const id = await begun(one);
    const running = say(one, id, "slowly");
    await expect.poll(() => texts(one, id, "agent").at(-1)).toBe("One ");
    await using two = await openGateway();
    await load(two, id);
    turns.home.write("on", "");
    await expect.poll(() => texts(two, id, "agent").at(-1)).toBe("One two ");
    // The editor loads the session again: all updates are repeated from the beginning of the turn, before the answer to
    // the load.
    const before = two.messages.length;
    await load(two, id);
    expect(JSON.stringify(two.messages.slice(before))).toMatch(/"slowly".*"One (two )?".*"id":\d+,"result"/u);
    turns.home.write("more", "");
    expect(await running).toEqual({ stopReason: "end_turn" });
    await expect
      .poll(() => two.messages.some((message) => JSON.stringify(message).includes("three.")))
      .toBe(true);
    const again = two.messages
      .slice(before)
      .filter(({ method }) => method === "session/update")
      .map(({ params }) => params?.update as Json);
    const said = again.filter(({ sessionUpdate }) => /_message_chunk$/u.test(String(sessionUpdate)));
    expect(said.map(({ content }) => (content as Json).text).join("")).toBe(
      "helloYou said: helloslowlyOne two three.",
    );
  });

  test("is not shown to an editor that closed the session while its own turn ran", async () => {
    await using one = await openGateway();
    const id = await begun(one);
    const running = say(one, id, "slowly");
    await expect.poll(() => texts(one, id, "agent").at(-1)).toBe("One ");
    await one.get("session/close", { sessionId: id });
    expect(await running).toEqual({ stopReason: "cancelled" });
    const before = one.updatesOf(id).length;
    await using two = await openGateway();
    await load(two, id);
    expect(await say(two, id, "and now?")).toEqual({ stopReason: "end_turn" });
    expect(one.updatesOf(id).slice(before)).toEqual([]);
  });
});

describe("a question of a turn of another process", () => {
  test("is answered by the editor that did not prompt, and withdrawn from the other one", async () => {
    const { one, two, id, running } = await asked();
    await using _one = one;
    await using _two = two;
    const [question] = questionsOf(two);
    expect(question?.params).toMatchObject({ sessionId: id, toolCall: { rawInput: { command: "make" } } });
    choose(two, "no");
    expect(await running).toEqual({ stopReason: "end_turn" });
    expect(turns.home.answers().at(-1)).toMatchObject({ result: { outcome: { optionId: "no" } } });
    expect(withdrawnFrom(one)).toEqual([questionsOf(one)[0]?.id]);
    expect(await storedAnswers(id)).toEqual([
      expect.objectContaining({ outcome: "denied", by: "person", optionId: "no" }),
    ]);
    expect([one.violations, two.violations]).toEqual([[], []]);
  });
});
