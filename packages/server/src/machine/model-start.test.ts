import { ContinuoError, type Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { CompleteHistory, UseHistory } from "./history/index.ts";
import { modelPartOf, seenFrom } from "./model-start.ts";

interface PlayedTurn {
  readonly ids: readonly string[];
  /** The id of the summary that was made in this turn. */
  readonly summary?: string;
}

function historyOf(turns: readonly PlayedTurn[]): CompleteHistory {
  const ids = turns.flatMap((turn) => turn.ids);
  let index = 0;
  const shown = turns.map((turn) => {
    const marks = turn.summary === undefined ? [] : [{ type: "compaction", messageId: turn.summary }];
    const one = { index, marks };
    index += turn.ids.length;
    return one;
  });
  const messageAt = (at: number): Message => ({ id: ids[at], content: [] }) as unknown as Message;
  const kept = { length: ids.length, idAt: (at: number) => ids[at], turns: shown, messageAt };
  return { kept } as unknown as CompleteHistory;
}

/** @param model the messages that the model would receive, or why that is not known */
function reading(history: CompleteHistory, model: CompleteHistory | ContinuoError): UseHistory {
  return async (use, view) => {
    if (view !== "model") return use(history);
    if (model instanceof ContinuoError) throw model;
    return use(model);
  };
}

const COMPACTED = historyOf([
  { ids: ["a", "b"] },
  { ids: ["c", "sum"], summary: "sum" },
  { ids: ["d", "e"] },
]);
const SENT = historyOf([{ ids: ["sum", "d", "e"] }]);

test("the part that the model sees begins after what the summary replaced, and the rest is counted", async () => {
  const part = await modelPartOf(reading(COMPACTED, SENT));
  expect(part).toMatchObject({ messages: 3, leftOut: 3, untilTurn: 2, added: 0 });
  const all = await modelPartOf(reading(COMPACTED, COMPACTED));
  expect(all).toMatchObject({ messages: 6, leftOut: 0, untilTurn: null });
});

test("a session that was never compacted is seen completely, whatever its agent leaves out", async () => {
  const plain = historyOf([{ ids: ["a", "b"] }, { ids: ["c"] }]);
  expect(await seenFrom(reading(plain, historyOf([{ ids: ["c"] }])))).toBeNull();
});

test.each(["unsupported", "too_large"] as const)(
  "nothing is claimed about what the model sees of a session whose model view is %s",
  async (code) => {
    expect(await seenFrom(reading(COMPACTED, new ContinuoError(code, "no")))).toBeNull();
  },
);

test("a session that cannot be read is an error, and not one that the model sees completely", async () => {
  const error = new ContinuoError("unreadable", "no");
  await expect(seenFrom(reading(COMPACTED, error))).rejects.toBe(error);
});
