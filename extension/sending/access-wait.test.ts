/** The wait for a person who gives the extension access. */

import { ContinuoError } from "@continuo/core/model";
import type { ExtensionAccess } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { waitForAccess } from "./access-wait.ts";

const GRANTED = { state: "granted", token: "t" } as unknown as ExtensionAccess;
const PENDING = { state: "pending" } as unknown as ExtensionAccess;

/** Waits under a clock of the test; the answers come in order, and the last one is repeated. */
function wait(answers: readonly (ExtensionAccess | "away")[], onAsk: (n: number) => void = () => undefined) {
  const given = new AbortController();
  let [nowMs, asked] = [0, 0];
  const token = waitForAccess({
    signal: given.signal,
    now: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
    },
    collect: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      onAsk(++asked);
      if (asked > 1_000) throw new Error("it asks without an end");
      if (answer === "away" || answer === undefined) throw new ContinuoError("unavailable", "no server");
      return answer;
    },
  });
  return { token, given, asks: () => asked };
}

test("a server that starts again is waited for, and a server that stays unavailable ends the wait with its error", async () => {
  expect(await wait([PENDING, "away", "away", PENDING, GRANTED]).token).toBe("t");
  const gone = wait([PENDING, "away"]);
  await expect(gone.token).rejects.toMatchObject({ code: "unavailable" });
  expect(gone.asks()).toBeLessThanOrEqual(LIMITS.accessAwayMs / LIMITS.accessPollMs + 2);
});

test("access that is granted after the person cancelled connects nothing", async () => {
  const waiting = wait([PENDING, GRANTED], (n) => n === 2 && waiting.given.abort());
  expect(await waiting.token).toBeNull();
});

test("a person's refusal ends the wait", async () => {
  await expect(wait([{ state: "refused" } as ExtensionAccess]).token).rejects.toMatchObject({
    code: "forbidden",
  });
});
