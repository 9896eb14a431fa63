import { expect, test, vi } from "vitest";
import { Answers } from "./answers.ts";

const LIMITS = { answerBytesAtOnce: 100, answerWaitMs: 1_000 };

test("an answer waits while its token has too many bytes on their way, and other tokens do not wait for it", async () => {
  const answers = new Answers(LIMITS);
  const [first, second] = [await answers.open("ann", 60), await answers.open("ann", 40)];
  let order = "";
  const third = answers.open("ann", 50).then((answer) => {
    order += "third ";
    return answer;
  });
  const fourth = answers.open("ann", 10).then((answer) => {
    order += "fourth ";
    return answer;
  });
  await answers.open("ben", 100);
  await second.resize(30);
  expect(order).toBe("");
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await Promise.all([third, fourth]);
  // Nobody overtakes an answer that waits.
  expect(order).toBe("third fourth ");
});

test("an answer that is larger than the limit, or grows beyond it, has room while it is the only one", async () => {
  const answers = new Answers(LIMITS);
  const large = await answers.open("ann", 500);
  large[Symbol.dispose]();
  const [growing, other] = [await answers.open("ann", 10), await answers.open("ann", 10)];
  let hasGrown = false;
  const grown = growing.resize(500).then(() => {
    hasGrown = true;
  });
  await Promise.resolve();
  expect(hasGrown).toBe(false);
  other[Symbol.dispose]();
  await grown;
});

test("an answer that finds no room for long is refused, and an answer that was closed while it waited holds no bytes", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answers = new Answers(LIMITS);
  const first = await answers.open("ann", 100);
  const refused = expect(answers.open("ann", 1)).rejects.toMatchObject({ code: "rate_limited" });
  vi.advanceTimersByTime(1_000);
  await refused;
  await first.resize(50);
  const small = await answers.open("ann", 50);
  const growing = small.resize(90);
  small[Symbol.dispose]();
  await growing;
  first[Symbol.dispose]();
  // All of the room is free again.
  await answers.open("ann", 100);
  vi.useRealTimers();
});
