import { expect, test } from "vitest";
import { eventsOf, newUpdateState } from "./updates.ts";

const part = (kind: "message" | "thought", text: string) => ({
  sessionUpdate: `agent_${kind}_chunk`,
  messageId: "m1",
  content: { type: "text", text },
});
const thought = (text: string) => ({
  sessionUpdate: "agent_thought",
  messageId: "m1",
  content: [{ type: "text", text }],
});

test.each([
  ["alone", [], ["I think."]],
  ["after parts of the answer with the same id", [part("message", "Hello.")], ["I think."]],
  ["after its own parts", [part("thought", "I "), part("thought", "think.")], ["I ", "think."]],
  [
    "after its own parts and parts of the answer",
    [part("thought", "I think."), part("message", "Hello.")],
    ["I think."],
  ],
])("a thought that comes whole is reported once: %s", (_, before, thoughts) => {
  const state = newUpdateState();
  const events = [...before, thought("I think.")].flatMap((update) => eventsOf(update, state));
  expect(events.flatMap((event) => (event.type === "thinking" ? [event.delta] : []))).toEqual(thoughts);
});
