/** Items of a page on their way to the extension. */

import { expect, test } from "vitest";
import type { EvidenceAnswer } from "../messages/messages.ts";
import type { PageItem } from "../sending/items.ts";
import { PageOutbox } from "./page-outbox.ts";

const ITEM = { kind: "transcript", id: "1" } as PageItem;

test("a greeting that is answered during a request sends the items that the request could not store", async () => {
  const answers: ((answer: EvidenceAnswer) => void)[] = [];
  const outbox = new PageOutbox(
    () =>
      new Promise((resolve) => {
        answers.push(resolve);
      }),
  );
  outbox.add(ITEM);
  expect(answers).toHaveLength(1);
  // The worker refused the item because it did not know the video yet. The answer to `hello` arrives first.
  outbox.flush();
  answers[0]?.("moved");
  await expect.poll(() => answers.length, { timeout: 1_000 }).toBe(2);
  answers[1]?.("stored");
  await new Promise((resolve) => setTimeout(resolve, 0));
  outbox.flush();
  expect(answers).toHaveLength(2);
});

test("items of a video that is unknown to the worker wait for its greeting", async () => {
  let count = 0;
  const outbox = new PageOutbox(async () => {
    count++;
    return "moved";
  });
  outbox.add(ITEM);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(count).toBe(1);
  outbox.flush();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(count).toBe(2);
});
