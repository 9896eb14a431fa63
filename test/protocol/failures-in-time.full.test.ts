/** An agent's program that prints nothing any more, or that does not stop, is ended after the time limit. */

import { describe, expect, test } from "vitest";
import { lines, open, SESSION, TEXT, TONGUES, turn, words } from "./tongues.ts";

describe.concurrent.each(Object.entries(TONGUES))("%s", (_, tongue) => {
  const began = lines(...tongue.began("half an answer"));
  const hello = tongue.hello(SESSION);

  test("says nothing any more: the turn fails when the time is up, and the program is ended", async () => {
    const reactions = [...hello, { to: tongue.prompt, print: began }];
    // The first line comes earlier than this limit, even while all tests of this file start their programs.
    await using conversation = await open(tongue, { reactions }, { limits: { silenceMs: 6_000 } });
    const { events, error } = await turn(conversation);
    expect(words(events)).toEqual([TEXT]);
    expect(error).toMatchObject({ code: "agent_failed", message: expect.stringContaining("said nothing") });
    expect((await turn(conversation)).error).toMatchObject({ code: "agent_failed" });
  });

  test("does not stop when it is asked to: the turn fails when the time is up", async () => {
    const reactions = [...hello, { to: tongue.prompt, print: began }];
    await using conversation = await open(tongue, { reactions }, { limits: { cancelMs: 300 } });
    const { error } = await turn(conversation, () => void conversation.cancel());
    expect(error).toMatchObject({ code: "agent_failed", message: expect.stringContaining("did not stop") });
  });

  test("does not answer when it starts: that is an error when the time is up", async () => {
    const opening = open(tongue, { reactions: [] }, { limits: { startMs: 1_000 } });
    await expect(opening).rejects.toMatchObject({ code: "agent_failed" });
  });
});
