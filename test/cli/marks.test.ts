/** Marks of sessions on the command line: pins, tags, and lists that are filtered by them. */

import { beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID, createHome, type Home, type Run, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

const run = (...words: string[]): Promise<Run> => runHere(home, words);

async function idsOf(...words: string[]): Promise<readonly string[]> {
  const { stdout } = await run("list", ...words, "--json");
  return (JSON.parse(stdout) as readonly { readonly sessionId: string }[]).map(({ sessionId }) => sessionId);
}

test("a pinned session is in the list of pinned ones until it is unpinned", async () => {
  expect(await run("session", "pin", CLAUDE_ID)).toMatchObject({ code: 0, stdout: "pinned\n" });
  expect(await idsOf("--pinned")).toEqual([CLAUDE_ID]);
  const { stdout } = await run("list", "--json");
  const rows = JSON.parse(stdout) as readonly {
    sessionId: string;
    pinned: boolean;
    tags: readonly string[];
  }[];
  expect(rows.filter(({ pinned }) => pinned).map(({ sessionId }) => sessionId)).toEqual([CLAUDE_ID]);
  expect(await run("unpin", CLAUDE_ID)).toMatchObject({ code: 0, stdout: "unpinned\n" });
  expect(await idsOf("--pinned")).toEqual([]);
  expect((await run("list", "--pinned")).stdout).toContain("No sessions match.");
});

test("tags are shown in the list, and filter it; a list with two tags has the sessions with both", async () => {
  expect((await run("tag", CLAUDE_ID, "Tea", "later")).stdout).toBe("#later #tea\n");
  await run("tag", CODEX_ID, "tea");
  expect(new Set(await idsOf("--tag", "TEA"))).toEqual(new Set([CLAUDE_ID, CODEX_ID]));
  expect(await idsOf("--tag", "tea", "--tag", "later")).toEqual([CLAUDE_ID]);
  const line = (await run("list")).stdout.split("\n").find((one) => one.includes(CLAUDE_ID));
  expect(line?.split("\t").at(-1)).toBe("#later, #tea");
  expect((await run("tag", CLAUDE_ID, "--remove", "tea", "--remove", "later")).stdout).toBe("no tags\n");
  expect(await idsOf("--tag", "tea")).toEqual([CODEX_ID]);
});

test("an invalid tag is refused with a hint, and changes nothing", async () => {
  const { code, stderr } = await run("tag", CLAUDE_ID, "a b");
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('"a b" is not a tag')]);
  expect(code).not.toBe(0);
  expect((await run("list", "--tag", "a,b")).code).not.toBe(0);
  expect((await run("tag", CLAUDE_ID)).stdout).toBe("no tags\n");
});
