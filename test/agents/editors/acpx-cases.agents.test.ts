/** `acpx` uses `continuo acp` over the format cases, and continues a case with three real agents. */

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { relocateProject } from "@continuo/native/editing";
import { expect, test } from "vitest";
import { CASE_GROUPS, copyGroup } from "../../fixture-home.ts";
import { text } from "../../model-servers/index.ts";
import { headCommit, momentsOfRun, partOf } from "../../sizes/rotation.ts";
import { recordTried } from "../../tried-editors.ts";
import { stage } from "../chat/stage.ts";
import { PINNED, packageFolder } from "../install.ts";
import { makeSandbox, runProgram } from "../sandbox.ts";
import { acpx, type Row, rowsIn, spokenIn, watched, wordsOf } from "./acpx.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");

/** Two of the groups, which the commit chooses; all of them with `--all-pairs`. */
const GROUPS =
  process.env.CONTINUO_ALL_PAIRS === "1"
    ? CASE_GROUPS
    : momentsOfRun(CASE_GROUPS, partOf(headCommit().slice(8), CASE_GROUPS.length / 2));

test("format cases are listed with title and folder, and each session is opened, shown and exported by its id", {
  // Each command starts acpx, and most of them a gateway.
  timeout: GROUPS.length * 300_000,
}, async () => {
  for (const group of GROUPS) {
    await using sandbox = await makeSandbox();
    const { places, sessions } = await copyGroup(sandbox.root, group);
    const env = sandbox.environment(places.env as Record<string, string>);
    const run = async (...args: readonly string[]): Promise<Row[]> => {
      const options = { cwd: sandbox.project, env };
      const { code, stdout, stderr } = await runProgram(process.execPath, wordsOf(args), options);
      expect([args, code, stderr]).toEqual([args, 0, ""]);
      return rowsIn(stdout);
    };
    const [list = {}] = await run("sessions", "list");
    const rows = (list.sessions as Row[]).map(({ sessionId, title, _meta }) => {
      const { cwd } = (_meta as { readonly continuo: Row }).continuo;
      return JSON.stringify([sessionId, title, cwd]);
    });
    const shown = sessions.filter(({ title, archived }) => title !== null && !archived);
    expect(rows.toSorted()).toEqual(
      shown
        .map(({ agent, sessionId, title, cwd }) => JSON.stringify([`${agent}:${sessionId}`, title, cwd]))
        .toSorted(),
    );
    for (const { agent, sessionId } of shown) {
      const id = `${agent}:${sessionId}`;
      const [opened] = await run("sessions", "ensure", "--name", id, "--resume-session", id);
      expect(opened).toMatchObject({ action: "session_ensured", acpxSessionId: id });
      // acpx shows only what it saw itself.
      expect(await run("sessions", "history", id)).toMatchObject([{ sessionId: id, count: 0 }]);
      const output = join(sandbox.root, "archive.json");
      await run("sessions", "export", id, "--output", output);
      expect(JSON.parse(readFileSync(output, "utf8"))).toMatchObject({ session: { record_id: id } });
    }
  }
  recordTried(packageFolder(PINNED.acpx));
});

const FIRST = "Remember the number forty-one.";
const SECOND = "Which number was it?";
const SCRIPT = {
  turns: [
    { user: SECOND, answers: [[text("It was forty-one.")]] },
    { user: FIRST, answers: [[text("I keep forty-one in mind.")]] },
  ],
};

/** The project in which the format cases were recorded. */
const RECORDED_PROJECT = "/home/dev/project";

test.each([["claude"], ["codex"], ["gemini"]] as const)(
  "a format case of %s is continued in its agent, and its new turns are watched and shown",
  async (agent: AgentName) => {
    await using on = await stage([agent], SCRIPT);
    const { stdout } = await on.run("printenv", [HOME_VARIABLES[agent]]);
    const home = stdout.trim() || join(on.sandbox.root, `.${agent}`);
    const folder = join(FIXTURES, agent, "image");
    cpSync(join(folder, "home"), home, { recursive: true });
    const places = { home: on.sandbox.root, env: { [HOME_VARIABLES[agent]]: home } };
    await relocateProject(RECORDED_PROJECT, on.sandbox.project, { places, write: "in place" });
    const { sessionId, items } = JSON.parse(readFileSync(join(folder, "requests.json"), "utf8"));
    const id = `${agent}:${sessionId}`;
    await acpx(on, "sessions", "ensure", "--resume-session", id);
    const first = await watched(on, [], () => acpx(on, "prompt", FIRST));
    expect(spokenIn(first)).toContain("I keep forty-one in mind.");
    // The model receives what the recorded session says.
    const said = (items as readonly Row[]).filter(
      ({ kind, role }) => kind === "text" && role === "assistant",
    );
    const received = on.newest().map(([, words]) => words);
    expect(received).toEqual(expect.arrayContaining(said.map((item) => item.text)));
    const cursor = String(first.at(-1)?.cursor);
    const second = await watched(on, ["--cursor", cursor], () => acpx(on, "prompt", SECOND));
    expect(spokenIn(second)).toBe("It was forty-one.");
    const [history] = await acpx(on, "sessions", "history");
    const entries = history?.entries as readonly Row[];
    expect(entries.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    const [list] = await acpx(on, "sessions", "list");
    expect(list?.sessions).toMatchObject([{ sessionId: id, _meta: { continuo: { agent } } }]);
    recordTried(packageFolder(PINNED.acpx));
  },
);
