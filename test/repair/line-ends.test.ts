/** Files that another program wrote with CR LF throughout are repaired, and keep their line ends. */

import { readFileSync, writeFileSync } from "node:fs";
import { checkNativeSession, repairNativeSession } from "@continuo/agents";
import { beforeEach, describe, expect, test } from "vitest";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("line-ends");
});

describe.each([
  ["claude", "text-and-thinking"],
  ["codex", "legacy"],
  ["gemini", "text-and-thinking"],
  ["pi", "text-and-thinking"],
] as const)("%s/%s with CR LF throughout and a line that is not JSON", (agent, name) => {
  test.each([
    ["without a byte order mark", ""],
    ["with a byte order mark", "\ufeff"],
  ])("%s is repaired in place", async (_, mark) => {
    const { places, sessions } = await copyHome(scratch, [agent, name]);
    const location = sessions[0]?.location ?? "";
    const lines = readFileSync(location, "utf8").split("\n").slice(0, -1);
    const damaged = [...lines.slice(0, 2), '{"torn', ...lines.slice(2)];
    writeFileSync(location, `${mark}${damaged.map((line) => `${line}\r\n`).join("")}`);
    const { edits } = await repairNativeSession(location, { places, write: "in place" });
    expect(edits.map(({ reason }) => reason)).toContain("it is not JSON");
    const repaired = readFileSync(location, "utf8");
    expect(repaired.startsWith("\ufeff")).toBe(false);
    expect(repaired.match(/(?<!\r)\n/gu)).toBeNull();
    expect((await repairNativeSession(location, { places })).edits).toEqual([]);
    const { problems } = await checkNativeSession(location, { places });
    const codes = problems.map(({ code }) => code);
    expect(codes.filter((code) => /json|byte_order|line_ends|torn/u.test(code))).toEqual([]);
  });

  test("a record that lacks its end is repaired in place", async () => {
    const { places, sessions } = await copyHome(scratch, [agent, name]);
    const location = sessions[0]?.location ?? "";
    const lines = readFileSync(location, "utf8").split("\n").slice(0, -1);
    writeFileSync(location, `\ufeff${lines.join("\r\n")}\r\n{"torn`);
    await repairNativeSession(location, { places, write: "in place" });
    expect(readFileSync(location, "utf8")).toBe(`${lines.join("\r\n")}\r\n`);
  });
});
