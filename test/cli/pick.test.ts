/** `continuo pick` where there is no terminal; with one: `pick.full.test.ts`. */

import { readdirSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { PickEntry } from "../../src/cli/pick/filter.ts";
import { createPerformer } from "../../src/cli/pick/perform.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import { CLAUDE_ID, cleanEnv, createHome, type Home, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

test("without a terminal it is a usage error", async () => {
  using empty = createHome();
  const { code, stderr } = await runHere(empty, ["pick"]);
  expect([code, stderr]).toEqual([
    2,
    "continuo: cannot open the picker without a terminal\nRun `continuo session list` to print the sessions.\n",
  ]);
});

function shellOf({ path }: Home): Shell {
  const held = { [Symbol.dispose]: () => undefined };
  const stream = new PassThrough() as never;
  return {
    stdin: stream,
    stdout: stream,
    stderr: stream,
    env: cleanEnv(path),
    home: path,
    cwd: path,
    now: new Date(),
    holdInterrupts: () => held,
    holdTermination: () => held,
    onExit: () => held,
  };
}

test.each([
  ["export", "md", /^exported to claude-.*\.md; 1 of \d, then .*gone failed: /u],
  ["fork", "yes", /^forked: claude:.* r resumes it; 1 of \d, then .*gone failed: /u],
] as const)(
  "an act on several sessions that fails in the middle says what it did: %s",
  async (action, value, said) => {
    using home = createHome();
    writeSessions(home);
    const listed = JSON.parse((await runHere(home, ["list", "--json"])).stdout).map(
      (info: PickEntry["info"]): PickEntry => ({ info, words: "" }),
    );
    const gone = { info: { agent: "codex", sessionId: "gone", location: "/gone" }, words: "" };
    const entries = [listed.find(({ info }: PickEntry) => info.sessionId === CLAUDE_ID), gone, ...listed];
    const performer = createPerformer({ send: () => undefined } as never, shellOf(home));
    const { message } = await performer.perform({ type: "perform", action, value, entries } as never);
    expect(message).toMatch(said);
    if (action === "export")
      expect(readdirSync(home.path).filter((name) => name.endsWith(".md"))).toHaveLength(1);
  },
);
