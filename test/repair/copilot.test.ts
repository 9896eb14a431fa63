/**
 * Damaged sessions of Copilot: a result is returned to its call, and no repair writes a record that Copilot refuses.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { checkNativeSession, readNativeSession, repairNativeSession } from "@continuo/agents";
import { beforeEach, expect, test } from "vitest";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("calls");
});

test.each([
  ["the answer", "assistant.message", "toolu_é x"],
  ["the answer", "assistant.message", "toolu_other"],
  ["the result", "tool.execution_complete", "toolu_é x"],
  ["the result", "tool.execution_complete", "toolu_other"],
])("a call whose id is another one in %s (%s: %s) has its result again", async (_where, type, other) => {
  const { places, sessions } = await copyHome(scratch, ["copilot", "parallel-tools"]);
  const { location = "", sessionId = "" } = sessions[0] ?? {};
  const ref = `copilot:${sessionId}`;
  const said = async (): Promise<readonly unknown[]> =>
    (await readNativeSession(ref, { places })).messages.map(({ role, content }) => [role, content]);
  const before = await said();
  const lines = readFileSync(location, "utf8").split("\n");
  const [, id = ""] = /"toolCallId":"([^"]+)"/u.exec(lines.join("\n")) ?? [];
  const at = lines.findIndex((line) => line.includes(`"type":"${type}"`) && line.includes(id));
  writeFileSync(location, lines.with(at, (lines[at] ?? "").replaceAll(id, other)).join("\n"));
  expect(await said()).not.toEqual(before);
  const { problems } = await checkNativeSession(ref, { places });
  expect(problems.some(({ code }) => code === "cannot_resume")).toBe(other.includes("é"));

  const { edits, droppedResults = 0 } = await repairNativeSession(ref, { places, write: "in place" });
  expect({ edits: edits.length, droppedResults }).toEqual({ edits: 1, droppedResults: 0 });
  expect(await said()).toEqual(before);
  expect((await repairNativeSession(ref, { places })).edits).toEqual([]);
});

test.each(["agentMetrics", "accountingSnapshot"])(
  "a damaged name in %s, which Copilot would refuse as UTF-8, is left out",
  async (field) => {
    const { places, sessions } = await copyHome(scratch, ["copilot", "subagent"]);
    const { location = "", sessionId = "" } = sessions[0] ?? {};
    const ref = `copilot:${sessionId}`;
    const bytes = readFileSync(location);
    const at = bytes.indexOf("totalNanoAiu", bytes.indexOf(`"${field}":{`)) + 10;
    bytes[at] = (bytes[at] ?? 0) ^ 0xa8;
    writeFileSync(location, bytes);
    const { messages } = await readNativeSession(ref, { places });
    await repairNativeSession(ref, { places, write: "in place" });
    expect(readFileSync(location, "utf8")).not.toContain("totalNanoA\ufffd");
    expect((await readNativeSession(ref, { places })).messages).toEqual(messages);
    expect((await checkNativeSession(ref, { places })).problems).toEqual([]);
  },
);

test.each([
  ["providerModelMetrics", '"modelId"', '"mmdelId"'],
  ["accountingSnapshot", '"totalNanoAiu"', '"totalNanoAku"'],
])(
  "a name in %s that is another one by a flipped bit is left out, and a new one is not",
  async (field, name, other) => {
    const { places, sessions } = await copyHome(scratch, ["copilot", "subagent"]);
    const { location = "", sessionId = "" } = sessions[0] ?? {};
    const ref = `copilot:${sessionId}`;
    const sound = readFileSync(location, "utf8");
    const from = sound.lastIndexOf(`"${field}":`);
    const renamed = (to: string) => sound.slice(0, from) + sound.slice(from).replace(name, to);
    writeFileSync(location, renamed(other));
    const { problems } = await checkNativeSession(ref, { places });
    expect(problems.map(({ code }) => code)).toContain("cannot_resume");
    const { edits } = await repairNativeSession(ref, { places, write: "in place" });
    expect(edits).toHaveLength(1);
    expect(readFileSync(location, "utf8")).not.toContain(other);
    expect((await checkNativeSession(ref, { places })).problems).toEqual([]);

    writeFileSync(location, renamed('"nameOfAnotherVersion"'));
    expect((await repairNativeSession(ref, { places })).edits).toEqual([]);
  },
);

test("a seal of thinking with a broken byte, for which the vendor would refuse the request, is left out", async () => {
  const { places, sessions } = await copyHome(scratch, ["copilot", "parallel-tools"]);
  const { location = "", sessionId = "" } = sessions[0] ?? {};
  const ref = `copilot:${sessionId}`;
  const bytes = readFileSync(location);
  const at = bytes.indexOf('"reasoningOpaque":"') + 30;
  bytes[at] = (bytes[at] ?? 0) ^ 0xe2;
  writeFileSync(location, bytes);
  await repairNativeSession(ref, { places, write: "in place" });
  const answers = readFileSync(location, "utf8")
    .split("\n")
    .filter((line) => line.includes('"assistant.message"'));
  expect(answers.join("\n")).not.toContain("\ufffd");
  expect(answers.some((line) => line.includes("reasoningText") && !line.includes("reasoningOpaque"))).toBe(
    true,
  );
  expect((await checkNativeSession(ref, { places })).problems).toEqual([]);
});

test("a result after a resumption, which Copilot would not read, follows its call again", async () => {
  const { places, sessions } = await copyHome(scratch, ["copilot", "parallel-tools"]);
  const { location = "", sessionId = "" } = sessions[0] ?? {};
  const ref = `copilot:${sessionId}`;
  const lines = readFileSync(location, "utf8").trimEnd().split("\n");
  const at = lines.findIndex((line) => line.includes('"type":"tool.execution_complete"'));
  const result = lines[at] ?? "";
  const resume = JSON.stringify({
    type: "session.resume",
    data: { resumeTime: "2026-01-01T00:00:00.000Z", eventCount: 1 },
    id: "11111111-1111-4111-8111-111111111111",
    timestamp: "2026-01-01T00:00:00.000Z",
    parentId: null,
  });
  writeFileSync(location, `${[...lines.toSpliced(at, 1), resume, result].join("\n")}\n`);
  const { edits } = await repairNativeSession(ref, { places, write: "in place" });
  expect(edits.map(({ type }) => type)).toEqual(["added", "removed"]);
  const mended = readFileSync(location, "utf8").trimEnd().split("\n");
  expect(mended).toHaveLength(lines.length + 1);
  expect(mended.indexOf(result)).toBeLessThan(mended.indexOf(resume));
  expect((await repairNativeSession(ref, { places })).edits).toEqual([]);
});
