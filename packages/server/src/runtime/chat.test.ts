import type { KnownEvent, StoredEvent } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { describe, expect, test } from "vitest";
import { ChatFold, readChat } from "./chat.ts";
import { GIVEN_UP } from "./failure-text.ts";

/** A chat whose input failed once, in a program that tries failed inputs again. */
async function openAnswers(more: readonly { type: string; data: object }[]): Promise<readonly string[]> {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const error = { code: "agent_failed", message: "no power" };
  const run = (type: string, data: object) => ({ type, data: { runId: "r", ...data }, runId: "r" });
  const events: readonly StoredEvent[] = await store.append(sessionId, [
    run("run_created", { input: [{ type: "text", text: "go" }] }),
    run("run_started", {}),
    run("run_failed", { error }),
    ...more.map((one) => ({ ...one, runId: "r" })),
  ]);
  async function* all() {
    yield* events;
  }
  const { open } = await readChat(all(), {
    isRetried: (status) => status === "failed",
    failureText: ({ message }) => message,
  });
  return open;
}

test("an answer that failed is open while its input is tried again, and no longer when it is given up", async () => {
  expect(await openAnswers([])).toEqual(["r"]);
  const data = { message: "the input is not tried again", code: GIVEN_UP };
  expect(await openAnswers([{ type: "error_raised", data }])).toEqual([]);
});

describe("a reader that follows a chat through a thousand answers", () => {
  const options = { isRetried: () => false, failureText: ({ message }: { message: string }) => message };
  const at = new Date(0).toISOString();
  let sequence = 0;
  const event = (type: string, runId: string, data: object = {}): KnownEvent => {
    sequence += 1;
    const stored = { sequence, id: `e${sequence}`, type, runId, data: { runId, ...data }, recordedAt: at };
    return stored as unknown as KnownEvent;
  };
  const answered = (fold: ChatFold, runId: string) => {
    fold.follow(event("run_created", runId, { input: "go" }));
    fold.follow(event("run_started", runId));
    return fold.follow(event("run_completed", runId, { output: [] }));
  };
  const said = (runId: string) => event("message_received", runId, { messageId: "m", content: "late" });
  const afterAnswers = (count: number) => {
    const fold = new ChatFold(options);
    fold.begin();
    for (let run = 0; run < count; run += 1) expect(answered(fold, `r${run}`)?.at(-1)?.type).toBe("end");
    return fold;
  };

  test("leaves out late messages of the newest answers, and reads all again if an older one may have more", () => {
    const fold = afterAnswers(1_001);
    expect(fold.follow(said("r1000"))).toEqual([]);
    expect(fold.follow(said("r1"))).toEqual([]);
    expect(fold.follow(said("r0"))).toBeNull();
    expect(fold.follow(event("token_usage_updated", "r0"))).toEqual([]);
    expect(
      fold.follow(event("run_created", "again", { input: "go", metadata: { retryOf: "r0" } })),
    ).toBeNull();
  });

  test("shows the message of a program that names a run of its own, before it has forgotten any answer", () => {
    expect(afterAnswers(3).follow(said("elsewhere"))).toMatchObject([{ type: "message" }]);
  });
});
