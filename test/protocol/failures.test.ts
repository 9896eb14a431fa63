/** The outcome of a conversation if the agent's program breaks the rules. Another program stands in for it. */

import { NO_CAPABILITIES } from "@continuo/agents/drivers/link";
import { describe, expect, test } from "vitest";
import { lines, OTHER, open, SESSION, TEXT, TONGUES, turn, words } from "./tongues.ts";

describe.concurrent.each(Object.entries(TONGUES))("%s", (_, tongue) => {
  const began = lines(...tongue.began("half an answer"));
  const hello = tongue.hello(SESSION);

  test("dies in the middle of a line: the turn fails with its text so far and its exit", async () => {
    const print = `${began}{"type":"half`;
    await using conversation = await open(tongue, {
      reactions: [...hello, { to: tongue.prompt, print, isLast: true }],
    });
    const { events, error } = await turn(conversation);
    expect(words(events)).toEqual([TEXT]);
    expect(error).toMatchObject({ code: "agent_failed", details: { signal: "SIGKILL" } });
    expect((await turn(conversation)).error).toMatchObject({ code: "agent_failed" });
  });

  test("prints unknown events, or text that is not JSON: they are reported verbatim or left out, and the turn continues", async () => {
    const print = `${began}no json at all\n{"half": \n[1]\n${lines(tongue.strange, tongue.strange, ...tongue.ended)}`;
    await using conversation = await open(tongue, { reactions: [...hello, { to: tongue.prompt, print }] });
    const { events, error } = await turn(conversation);
    expect(error).toBe(null);
    expect(words(events)).toEqual([TEXT]);
    expect(events.filter((event) => JSON.stringify(event).includes('"a":1'))).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: "turn_completed", stopReason: "end_turn" });
  });

  test("refuses a question that nobody can answer, and continues the turn", async () => {
    await using conversation = await open(tongue, {
      reactions: [
        { to: tongue.refusal, print: lines(...tongue.ended) },
        ...hello,
        { to: tongue.prompt, print: began + lines(tongue.question) },
      ],
    });
    const { events } = await turn(conversation);
    expect(events.find((event) => event.type === "diagnostics")).toBeDefined();
    expect(events.at(-1)).toMatchObject({ type: "turn_completed", stopReason: "end_turn" });
  });

  test("does not start: the error has its output", async () => {
    const opening = open(tongue, { refusal: "no licence" });
    await expect(opening).rejects.toMatchObject({
      code: "agent_failed",
      details: { stderr: "no licence", code: 3 },
    });
  });

  test("is closed in the middle of a turn: that is no failure of the agent", async () => {
    const reactions = [...hello, { to: tongue.prompt, print: began }];
    const conversation = await open(tongue, { reactions });
    const { error } = await turn(conversation, () => void conversation.close());
    expect(error).toMatchObject({ code: "interrupted" });
  });

  test("answers from another session than the requested one: it is reported as forked", async () => {
    const print = began + lines(...tongue.ended);
    const reactions = [...hello, { to: tongue.prompt, print }];
    await using conversation = await open(tongue, { reactions }, { resumeSessionId: OTHER });
    const { events } = await turn(conversation);
    const { resumption, sessionId } = conversation;
    expect([sessionId, resumption.forked]).toEqual([SESSION, { from: OTHER, to: SESSION }]);
    const told = events.some((event) => event.type === "native_session" && event.happened === "forked");
    // The fork is reported when the session is opened, or by the first turn.
    expect(told || resumption.verifiedBy === "agent").toBe(true);
  });
});

test("pi fails before it asks its model: the turn fails with pi's reason", async () => {
  const { pi } = TONGUES;
  if (pi === undefined) throw new Error("pi is missing");
  const message = {
    role: "assistant",
    content: [{ type: "text", text: "" }],
    stopReason: "error",
    errorMessage: "no key",
  };
  // Seen in 1.6.0, with a session whose tools pi could not read.
  const [accepted] = pi.began("");
  const told = ["message_start", "message_end", "turn_end"].map((type) => ({ type, message }));
  const end = { type: "agent_end", messages: [message], willRetry: false };
  const print = lines(accepted, ...told, end, { type: "agent_settled", aborted: false });
  await using conversation = await open(pi, {
    reactions: [...pi.hello(SESSION), { to: pi.prompt, print }],
  });
  const { error } = await turn(conversation);
  expect(error).toMatchObject({ code: "agent_failed", message: expect.stringContaining("no key") });
});

test("Claude Code ends a turn of its own in between, and ours continues", async () => {
  const { claude } = TONGUES;
  if (claude === undefined) throw new Error("claude is missing");
  const other = {
    type: "result",
    subtype: "success",
    is_error: false,
    stop_reason: "end_turn",
    result: "other",
  };
  const queued = { type: "command_lifecycle", command_uuid: "$id", state: "queued" };
  const print = lines(queued, other, ...claude.began("half an answer"), ...claude.ended);
  await using conversation = await open(claude, {
    reactions: [...claude.hello(SESSION), { to: claude.prompt, print }],
  });
  const { events } = await turn(conversation);
  expect(words(events)).toEqual([TEXT]);
});

test("a warning of Codex before the first turn is reported in that turn", async () => {
  const { codex } = TONGUES;
  if (codex === undefined) throw new Error("codex is missing");
  const warning = { method: "configWarning", params: { summary: "Something is odd.", details: null } };
  const [initialize, ...hello] = codex.hello(SESSION);
  if (initialize === undefined) throw new Error("codex says nothing");
  const print = lines(...codex.began("half an answer"), ...codex.ended);
  await using conversation = await open(codex, {
    reactions: [
      { ...initialize, print: initialize.print + lines(warning) },
      ...hello,
      { to: codex.prompt, print },
    ],
  });
  const { events } = await turn(conversation);
  expect(events[0]).toEqual({
    type: "diagnostics",
    message: "Something is odd.",
    details: warning,
  });
});

test("Codex, known from before, is asked for a thread without waiting for the answer to the greeting", async () => {
  const { codex } = TONGUES;
  if (codex === undefined) throw new Error("codex is missing");
  const greeted = { id: 1, result: { userAgent: "continuo/1.0 (x)" } };
  const begun = `{"id":$id,"result":{"thread":{"id":"${SESSION}"}}}`;
  const reactions = [{ to: '"thread/start"', print: lines(greeted, begun) }];
  await using conversation = await open(codex, { reactions }, { known: NO_CAPABILITIES });
  expect(conversation.sessionId).toBe(SESSION);
});

test("Codex, known from before, refuses the greeting: that is the error", async () => {
  const { codex } = TONGUES;
  if (codex === undefined) throw new Error("codex is missing");
  const print = lines({ id: 1, error: { code: -32_600, message: "Too old." } });
  const opening = open(
    codex,
    { reactions: [{ to: '"initialize"', print }] },
    { known: NO_CAPABILITIES, limits: { openMs: 600_000 } },
  );
  await expect(opening).rejects.toMatchObject({
    code: "agent_failed",
    details: { answer: { message: "Too old." } },
  });
});
