import type { ProducerWrite, Write } from "@continuo/core/model";
import { expect, test } from "vitest";
import { assertProducerFollows, isAccepted, type ProducerRow, producerOf, toProducer } from "./producers.ts";

function write(epoch: number, sequence: number, producerId = "p"): ProducerWrite {
  return { type: "producer", producerId, epoch, sequence };
}

function known(epoch: number, sequence: number): ProducerRow {
  return { producer_id: "p", epoch, sequence, updated_at: 1 };
}

test("an append has the producer among its writes, or none", () => {
  const close: Write = { type: "close" };
  expect(producerOf([])).toBeUndefined();
  expect(producerOf([close])).toBeUndefined();
  expect(producerOf([close, write(0, 0), close])).toEqual(write(0, 0));
});

test.each<[string, readonly Write[]]>([
  ["an append can have at most one producer", [write(0, 0), write(0, 0)]],
  ["the producerId must be a text that is not empty", [write(0, 0, "")]],
  ["the epoch must be a whole number", [write(-1, 0)]],
  ["the epoch must be a whole number", [write(0.5, 0)]],
  ["the producer's sequence must be a whole number", [write(0, -1)]],
  ["the producer's sequence must be a whole number", [write(0, Number.NaN)]],
])("an append is refused with `%s`", (message, also) => {
  expect(() => producerOf(also)).toThrow(expect.objectContaining({ code: "invalid", message }));
});

test.each([
  [write(1, 5), known(1, 5), true],
  [write(1, 4), known(1, 5), true],
  [write(1, 6), known(1, 5), false],
  [write(0, 5), known(1, 5), false],
  [write(2, 5), known(1, 5), false],
  [write(0, 0), undefined, false],
])("%j after %j was accepted before: %s", (given, row, expected) => {
  expect(isAccepted(given, row)).toBe(expected);
});

test.each([
  [write(0, 0), undefined],
  [write(7, 0), undefined],
  [write(1, 6), known(1, 5)],
  [write(2, 0), known(1, 5)],
])("%j follows %j", (given, row) => {
  assertProducerFollows("epoch", given, row);
  assertProducerFollows("sequence", given, row);
});

test("an older epoch is fenced, whatever its sequence is", () => {
  for (const sequence of [0, 6]) {
    expect(() => assertProducerFollows("epoch", write(0, sequence), known(1, 5))).toThrow(
      expect.objectContaining({
        code: "fenced",
        message: "the producer p is in epoch 1",
        details: { producerId: "p", epoch: 1 },
      }),
    );
  }
});

test("a new epoch that does not begin at 0 is invalid", () => {
  expect(() => assertProducerFollows("sequence", write(2, 6), known(1, 5))).toThrow(
    expect.objectContaining({
      code: "invalid",
      message: "a new epoch must begin with sequence 0",
      details: { producerId: "p", epoch: 2, sequence: 6 },
    }),
  );
});

test.each([
  [write(0, 1), undefined, 0],
  [write(1, 7), known(1, 5), 6],
  [write(1, 5), known(1, 5), 6],
])("%j after %j is a gap", (given, row, expected) => {
  const received = given.sequence;
  expect(() => assertProducerFollows("sequence", given, row)).toThrow(
    expect.objectContaining({
      code: "sequence_gap",
      message: `the producer p sent ${received}, but ${expected} is the next sequence`,
      hint: "Send the missing records first.",
      details: { producerId: "p", expected, received },
    }),
  );
});

test("a producer is returned with the time of its last append", () => {
  expect(toProducer("l", known(1, 5))).toEqual({
    logId: "l",
    producerId: "p",
    epoch: 1,
    sequence: 5,
    updatedAt: "1970-01-01T00:00:00.001Z",
  });
});
