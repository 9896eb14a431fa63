/** A session of pi in which a result was moved to a branch that does not have its call. */

import { readFileSync, writeFileSync } from "node:fs";
import { readNativeSession, repairNativeSession } from "@continuo/agents";
import { beforeEach, expect, test } from "vitest";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("pi-branches");
});

test("a result on a branch without its call is removed, and the call gets one on its own branch", async () => {
  const { places, sessions } = await copyHome(scratch, ["pi", "parallel-tools"]);
  const { location = "", sessionId = "" } = sessions[0] ?? {};
  const records = readFileSync(location, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const prompt = records.findIndex(({ message }) => message?.role === "user");
  const result = records.findIndex(({ message }) => message?.role === "toolResult");
  const { id: lost } = records[result];
  // The entry after it follows the one before it, so that only the result leaves the branch.
  for (const record of records) if (record.parentId === lost) record.parentId = records[result].parentId;
  records[result].parentId = records[prompt].id;
  writeFileSync(location, `${records.map((record) => JSON.stringify(record)).join("\n")}\n`);
  const ref = `pi:${sessionId}`;

  const { edits, droppedResults } = await repairNativeSession(ref, { places, write: "in place" });
  expect(droppedResults).toBe(1);
  expect(edits.length).toBeGreaterThan(1);
  const { messages } = await readNativeSession(ref, { places });
  const calls = messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_call"));
  const results = messages.filter(({ role }) => role === "tool");
  expect(results.map(({ toolCallId }) => toolCallId).sort()).toEqual(
    calls.map((call) => (call.type === "tool_call" ? call.id : "")).sort(),
  );
  expect((await repairNativeSession(ref, { places })).edits).toEqual([]);
});
