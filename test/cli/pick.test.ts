/** `continuo pick` without a terminal; see `pick.full.test.ts` for terminals. */

import { readdirSync, rmSync } from "node:fs";
import { PassThrough } from "node:stream";
import { findLeftOut } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { drawHiddenNote, planReturns } from "../../src/cli/pick/bring-back.ts";
import type { PickEntry } from "../../src/cli/pick/filter.ts";
import { createPerformer } from "../../src/cli/pick/perform.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import { CLAUDE_RECIPES } from "../lost/claude-recipes.ts";
import { makeLostHome, snapshotOf } from "../lost/recipe.ts";
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
  "an action on several sessions that fails in the middle reports what was done: %s",
  async (action, value, said) => {
    using home = createHome();
    writeSessions(home);
    const listed = JSON.parse((await runHere(home, ["list", "--json"])).stdout).map(
      (info: PickEntry["info"]): PickEntry => ({ info, words: "" }),
    );
    const gone = { info: { agent: "codex", sessionId: "gone", location: "/gone" }, words: "" };
    const entries = [listed.find(({ info }: PickEntry) => info.sessionId === CLAUDE_ID), gone, ...listed];
    const performer = createPerformer({ send: () => undefined } as never, shellOf(home), () => new Map());
    const { message } = await performer.perform({ type: "perform", action, value, entries } as never);
    expect(message).toMatch(said);
    if (action === "export")
      expect(readdirSync(home.path).filter((name) => name.endsWith(".md"))).toHaveLength(1);
  },
);

test("for a hidden session, the picker shows the reason and the plan, restores the session, and hides it again after the undo", async () => {
  using home = createHome();
  const lost = makeLostHome(home.path);
  CLAUDE_RECIPES.find(({ cause }) => cause === "other_folder")?.write(lost);
  const before = snapshotOf(lost);
  const shell = shellOf(home);
  const [info] = JSON.parse((await runHere(home, ["list", "--json"])).stdout) as [PickEntry["info"]];
  const entries: readonly PickEntry[] = [{ info, words: "" }];
  const left = await findLeftOut(shell);
  const hidden = new Map(left.map((one) => [one.hidden.found.location, one]));
  const drawing = { columns: 60, paint: (text: string) => text, home: home.path };
  expect(drawHiddenNote(undefined, drawing)).toEqual([]);
  const note = drawHiddenNote(hidden.get(info.location), drawing).join(" ");
  expect(note).toMatch(/^! Claude Code does not list it: .* b brings it back: /u);

  const plan = await planReturns(entries, hidden, shell);
  expect(plan.entries).toEqual(entries);
  expect(plan.lines[0]).toMatch(/^Claude Code: /u);
  expect(plan.lines.join("\n")).toContain("  move the file to ~/.claude/projects/");
  expect(snapshotOf(lost)).toEqual(before);

  const performer = createPerformer({ send: () => undefined } as never, shell, () => hidden);
  const act = (action: "bring back" | "undo") =>
    performer.perform({ type: "perform", action, value: "", entries });
  const back = await act("bring back");
  expect([back.message, back.chosen]).toEqual([
    "1 session is in the agent's list, u takes it back",
    expect.not.stringContaining("old-name"),
  ]);
  expect(await findLeftOut(shell)).toEqual([]);
  expect(await act("undo")).toMatchObject({ message: "restored 1 session", chosen: info.location });
  expect(snapshotOf(lost)).toEqual(before);
});

test("a plan explains why a session cannot be restored, and the change of a session that is listed by now is refused", async () => {
  using home = createHome();
  const lost = makeLostHome(home.path);
  CLAUDE_RECIPES.find(({ cause }) => cause === "other_folder")?.write(lost);
  const shell = shellOf(home);
  const [one] = await findLeftOut(shell);
  if (one === undefined) throw new Error("nothing is hidden");
  const { location, agent, sessionId } = one.hidden.found;
  const entries = [{ info: { title: null, location, agent, sessionId }, words: "" }] as never;
  rmSync(location);
  const plan = await planReturns(entries, new Map([[location, one]]), shell);
  expect([plan.entries, plan.lines.length]).toEqual([[], 3]);
  const performer = createPerformer({ send: () => undefined } as never, shell, () => new Map());
  const { message } = await performer.perform({ type: "perform", action: "bring back", value: "", entries });
  expect(message).toBe("cannot bring back: its agent lists the session already");
});
