/** Lists of agents whose files Continuo cannot read: an agent is asked if a person names it, or if it is open. */

import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { ScriptStep } from "../acp/script.ts";
import { type Run, run } from "./home.ts";
import { runHere } from "./in-process.ts";
import { LISTED, listing } from "./listing-agent.ts";
import { createTalkHome, type TalkHome } from "./talk.ts";

// Each call starts several programs.
vi.setConfig({ testTimeout: 180_000 });

let home: TalkHome;

const continuo = (...args: readonly string[]): Promise<Run> =>
  runHere(home, args, { cwd: join(home.path, "project") });

const REFUSED: ScriptStep = { error: { code: -32000, message: "the index is broken" } };

test("session list --agent NAME asks an agent of continuo.yaml; a conversation that is both is one row", async () => {
  home = createTalkHome(listing([LISTED]));
  await run(home, ["chat", "one"], { cwd: join(home.path, "project") });
  const { code, stdout, stderr } = await continuo("session", "list", "--agent", "robot", "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [own, told, ...others] = JSON.parse(stdout);
  expect(others).toEqual([]);
  expect(own).toMatchObject({ agent: "continuo", nativeRefs: [{ agent: "robot", sessionId: "new-1" }] });
  expect(told).toEqual({
    agent: "robot",
    sessionId: "there",
    title: "Far away",
    cwd: "/elsewhere",
    gitBranch: null,
    createdAt: null,
    updatedAt: "2025-01-01T00:00:00.000Z",
    sizeBytes: null,
    archived: false,
    incomplete: false,
    live: null,
    movedTo: null,
    pinned: false,
    tags: [],
    location: "robot:there",
    problems: [],
    nativeRefs: [],
  });
  // Continuo selects the sessions of the folder, because the agent itself does not.
  expect((await continuo("session", "list", "--agent", "robot", "--here")).stdout).not.toContain("Far away");
  expect(home.methods().filter((method) => method === "session/list")).toHaveLength(2);
});

test("a list that fails is reported, sets the exit code, and does not hide the other lists; an unknown agent gives exit code 2", async () => {
  home = createTalkHome(listing([REFUSED]));
  await continuo("chat", "one");
  const failed = await continuo("session", "list", "--agent", "robot", "--agent", "continuo");
  expect(failed.code).toBe(8);
  expect(failed.stdout).toContain("continuo (robot)");
  expect(failed.stderr).toMatch(/^continuo: the sessions of robot cannot be listed: .*the index is broken/u);
  const strange = await continuo("session", "list", "--agent", "rabot");
  expect(strange).toMatchObject({ code: 2, stdout: "" });
  expect(strange.stderr).toContain("robot, other");
});

test("a project's agent is not asked before the project is trusted", async () => {
  home = createTalkHome(listing([LISTED]));
  const mine = { command: process.execPath, args: [join(home.path, "evil.js")] };
  home.write("project/continuo.yaml", JSON.stringify({ agents: { mine } }));
  home.write("evil.js", `require("node:fs").writeFileSync(${JSON.stringify(join(home.path, "evil"))}, "")`);
  const { code, stderr } = await continuo("session", "list", "--agent", "mine");
  expect(code).toBe(5);
  expect(stderr).toContain("continuo trust");
  expect((await runHere(home, ["session", "list", "--json"])).stdout).toBe("[]\n");
});

test("/sessions of the repl asks its current agent, and shows a failed list next to the others", async () => {
  home = createTalkHome(listing([LISTED]));
  const repl = (input: string): Promise<Run> =>
    run(home, ["repl"], { cwd: join(home.path, "project"), stdin: input });
  const { stdout } = await repl("one\n/sessions\n/resume robot:there\n/sessions\n");
  const rows = stdout.split("\n").filter((line) => / robot {2}/u.test(line));
  expect(rows[0]).toMatch(/^\* [0-9a-f-]+ +robot +now +one$/u);
  expect(rows).toHaveLength(2);
  home[Symbol.dispose]();
  home = createTalkHome(listing([REFUSED]));
  expect((await repl("one\n/sessions\n")).stdout).toMatch(
    /^ {2}cannot list the sessions of robot: .*index is broken/mu,
  );
});
