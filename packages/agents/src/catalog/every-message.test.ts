import type { Leaf, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { everyMessage, type MessageSource } from "./every-message.ts";
import { sessionTurns } from "./turns.ts";

/** Each text is a branch, the active one first; a capital letter is what a person says. */
function branches(...paths: readonly string[]): MessageSource {
  return {
    leaves: paths.map((path) => ({ id: path.at(-1) ?? "" }) as Leaf),
    async *history({ leaf = paths[0]?.at(-1) } = {}) {
      for (const id of paths.find((path) => path.at(-1) === leaf) ?? "") {
        const content: Message["content"] = [{ type: "text", text: id }];
        yield { id, role: id < "a" ? "user" : "assistant", content, metadata: {} };
      }
    },
  };
}

test("a message that is on several branches is read once, and messages of other branches are read too", async () => {
  const read = async (...paths: readonly string[]): Promise<string> =>
    (await Array.fromAsync(everyMessage(branches(...paths)))).map(({ id }) => id).join("");
  expect(await read("AbC")).toBe("AbC");
  expect(await read("AbC", "AbD", "Ef")).toBe("AbCDEf");
});

test("a turn has its own messages and none of the next one", async () => {
  const turns: string[] = [];
  for await (const { number, messages } of sessionTurns(branches("AbcDEf"))) {
    turns.push(`${number}${messages.map(({ id }) => id).join("")}`);
  }
  expect(turns).toEqual(["1Abc", "2D", "3Ef"]);
});
