/**
 * A folder that the person excludes is not searched, even if its sessions were deleted and a copy of them still exists.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { DAY_MS, writeClaudeSession } from "../guard/sessions.ts";

const ID = "0b9c1a52-0000-4000-8000-000000000001";

let home: Home;
let path: string;
beforeEach(() => {
  home = createHome();
  path = writeClaudeSession(home.path, { id: ID, turns: 6, writtenMs: Date.now() - 27 * DAY_MS }).path;
});
afterEach(() => home[Symbol.dispose]());

async function run(...args: readonly string[]) {
  // The search path has no service manager of this machine.
  return await runHere(home, args, { env: { PATH: "/nowhere" } });
}

/** The sessions that a search finds. */
async function foundIds(): Promise<readonly string[]> {
  const { results } = JSON.parse((await run("search", "backoff", "--json")).stdout);
  return results.map((one: { readonly session: { readonly sessionId: string } }) => one.session.sessionId);
}

async function foundBeforeAndAfterExcluding(): Promise<readonly (readonly string[])[]> {
  const before = await foundIds();
  home.write(".continuo/continuo.yaml", "index: { exclude: [/work] }");
  return [before, await foundIds()];
}

test("a session in the trash is not found when its folder is excluded", async () => {
  expect((await run("session", "delete", ID, "--yes")).code).toBe(0);
  expect(await foundBeforeAndAfterExcluding()).toEqual([[ID], []]);
});

test("a session of which only the guard's copy is left is not found when its folder is excluded", async () => {
  await run("guard", "on");
  rmSync(join(home.path, ".claude/projects/-work", ID), { recursive: true });
  rmSync(path);
  expect(await foundBeforeAndAfterExcluding()).toEqual([[ID], []]);
});
