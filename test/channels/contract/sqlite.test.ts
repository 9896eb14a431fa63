import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { CHANNEL_CASES, channelContract } from "./contract.ts";

channelContract("SQLite", () => openStore("memory:"), "short");

test("every sentence of PROTOCOL.md about a server has a case, and every case has a sentence", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../PROTOCOL.md"), "utf8");
  const sentences = [...text.matchAll(/^- \*\*((?!CLIENT)[A-Z]+-\d+)\*\*/gmu)].map(([, id]) => id);
  expect(new Set(sentences).size).toBe(sentences.length);
  expect(sentences.toSorted()).toEqual(CHANNEL_CASES.map(({ id }) => id).toSorted());
});
