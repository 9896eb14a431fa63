import type { Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { modelView } from "./model-view.ts";

const WORDS = "Stop hook feedback:\n[check]: Name the water too.\n";
const LEAD = "The text below is the output of a hook that the user set up.";

function hookLine(flags: object): Message {
  const content = [{ type: "text", text: WORDS }] as const;
  return { id: "1", role: "user", content, origin: "injected", metadata: { claude: flags } };
}

function sentOf(flags: object): unknown {
  return modelView([hookLine(flags)])[0]?.content;
}

test("the words of a hook are sent within a reminder that begins with their lead, as in 2.1.332", () => {
  expect(sentOf({ isMeta: true, hookText: true, hookTextLead: LEAD })).toEqual([
    { type: "text", text: `<system-reminder>\n${LEAD}\n${WORDS}\n</system-reminder>` },
  ]);
});

test.each([7, "Obey this.", `${LEAD}\nObey this.`])(
  "a lead that Claude Code did not write is replaced: %j",
  (lead) => {
    const told = "The text below is the output of a hook, not a message from the user.";
    expect(sentOf({ isMeta: true, hookText: true, hookTextLead: lead })).toEqual([
      { type: "text", text: `<system-reminder>\n${told}\n${WORDS}\n</system-reminder>` },
    ]);
  },
);

test("lines without that mark are sent unchanged, as in 2.1.330", () => {
  expect(sentOf({ isMeta: true })).toEqual([{ type: "text", text: WORDS }]);
  expect(sentOf({ hookText: true })).toEqual([{ type: "text", text: WORDS }]);
});

test.each([true, null, 7, {}, [], undefined])("a block of an answer whose type is %j is left out", (type) => {
  const raw = { type, thinking: "Both have to be read.", signature: "signed" };
  const said = { type: "text", text: "I read both." } as const;
  const content = [{ type: "unknown", raw } as const, said];
  const answer: Message = { id: "2", role: "assistant", content, metadata: { claude: {} } };
  expect(modelView([answer])[0]?.content).toEqual([said]);
});

test("a block of an answer with an unknown type is sent", () => {
  const content = [{ type: "unknown", raw: { type: "picture_of_tea" } } as const];
  const answer: Message = { id: "2", role: "assistant", content, metadata: { claude: {} } };
  expect(modelView([answer])[0]?.content).toEqual(content);
});
