import type { StoredEvent } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { readChat } from "./chat.ts";
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
