/** The parts of an answer, as an editor shows them. */

import type { Block } from "@continuo/core/model";
import type { WindowMessage } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { toParts } from "./turns.ts";

const answer = (...content: readonly Block[]): WindowMessage =>
  ({
    turnId: "1",
    message: { id: "a", role: "assistant", content, metadata: {} },
  }) as unknown as WindowMessage;

test("a call with long arguments has a title of one row, and its whole input beside it", () => {
  const todos = Array.from({ length: 20 }, (_, at) => ({ content: `task ${at}`, status: "pending" }));
  const [part] = toParts([answer({ type: "tool_call", id: "c", name: "TodoWrite", args: { todos } })]);
  if (part?.kind !== "toolCall") throw new Error("it is no call");
  const { invocationMessage = "", toolInput } = part.toolCall;
  expect([invocationMessage.length, invocationMessage.at(-1)]).toEqual([160, "…"]);
  expect(JSON.parse(toolInput ?? "")).toEqual({ todos });
});
