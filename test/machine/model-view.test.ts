/** The model's view of a session over HTTP: its turns, and how it differs from the history. */

import type { HistoryWindow, Outline } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText } from "../cli/home.ts";
import { openMachine } from "./open-machine.ts";

const ID = "4bf3eeee-0000-4000-8000-00000000000e";

const asks = (uuid: string, parent: string | null, content: string) =>
  ({ uuid, parent, role: "user", content, time: "12:00:00" }) as const;
const answers = (uuid: string, parent: string, text: string) =>
  ({ uuid, parent, role: "assistant", content: [{ type: "text", text }], time: "12:00:01" }) as const;

/** Two turns, a compaction, and one further turn. */
function compacted(): string {
  const before = [asks("p1", null, "First"), answers("b1", "p1", "One"), asks("p2", "b1", "Second")];
  const base = { isSidechain: false, cwd: "/home/ann/app", sessionId: ID, version: "2.1.330" };
  const boundary = {
    ...base,
    parentUuid: null,
    logicalParentUuid: "b2",
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    isMeta: false,
    timestamp: "2025-01-05T12:01:00.000Z",
    uuid: "c1",
    level: "info",
    compactMetadata: { trigger: "auto", preTokens: 9000 },
  };
  const summary = {
    ...base,
    parentUuid: "c1",
    type: "user",
    uuid: "c2",
    isCompactSummary: true,
    message: { role: "user", content: "Summary: two questions were answered." },
    timestamp: "2025-01-05T12:01:01.000Z",
  };
  return [
    claudeText(ID, [...before, answers("b2", "p2", "Two")]),
    ...[boundary, summary].map((record) => `${JSON.stringify(record)}\n`),
    claudeText(ID, [asks("p3", "c2", "Third"), answers("b3", "p3", "Three")]),
  ].join("");
}

test("the turns of the model's view have the numbers of its messages, and it says what was left out", async () => {
  await using machine = await openMachine();
  machine.home.write(claudeFile(ID), compacted());
  const path = `/v1/machine/sessions/claude:${ID}`;
  const outline: Outline = await machine.json(`${path}/outline?view=model`);
  const window: HistoryWindow = await machine.json(`${path}/history?view=model`);
  const numbers = new Set(window.messages.map(({ turn }) => turn));
  expect(outline.turns.map(({ number }) => number)).toEqual([...numbers]);
  expect(outline.model).toMatchObject({ messages: window.total, leftOut: 5, untilTurn: 2 });
  expect(outline.model?.tokens).toBeGreaterThan(10);
  // The model's view has a summary in place of two turns, so it has fewer tokens.
  expect(outline.model?.historyTokens).toBeGreaterThan(outline.model?.tokens ?? Number.NaN);
  expect((await machine.json(`${path}/outline`)).model).toBeUndefined();
});

test("the model's view of a short session leaves nothing out", async () => {
  await using machine = await openMachine();
  const path = `/v1/machine/sessions/claude:${CLAUDE_ID}`;
  const { model }: Outline = await machine.json(`${path}/outline?view=model`);
  expect(model).toMatchObject({ leftOut: 0, untilTurn: null, added: 0 });
});
