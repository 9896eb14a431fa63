/** Clicks during the wait for the answer to an earlier click. */

import { expect, test } from "vitest";
import { NewestAnswer, oneAtATime } from "./clicks.ts";

test("a second click on the same thing does nothing until the first one is answered, even if the first one fails", async () => {
  const answers: PromiseWithResolvers<void>[] = [];
  const click = oneAtATime((_name: string) => {
    const answer = Promise.withResolvers<void>();
    answers.push(answer);
    return answer.promise;
  });
  const first = click("a");
  void click("a");
  expect(answers).toHaveLength(1);
  answers[0]?.reject(new Error("refused"));
  await expect(first).rejects.toThrow("refused");
  const third = click("a");
  const other = click("b");
  expect(answers).toHaveLength(3);
  for (const { resolve } of answers) resolve();
  await Promise.all([third, other]);
});

test("only the newest of two requests is answered, in whatever order the answers arrive", async () => {
  const newest = new NewestAnswer();
  const got: string[] = [];
  const [slow, quick, dropped] = [0, 1, 2].map(() => Promise.withResolvers<string>());
  const take = (answer?: PromiseWithResolvers<string>): void =>
    newest.take(
      answer?.promise ?? Promise.resolve(""),
      (value) => got.push(value),
      () => got.push("failed"),
    );
  take(slow);
  take(quick);
  quick?.resolve("quick");
  await quick?.promise;
  slow?.reject(new Error("late"));
  await slow?.promise.catch(() => undefined);
  take(dropped);
  newest.drop();
  dropped?.resolve("dropped");
  await dropped?.promise;
  expect(got).toEqual(["quick"]);
});
