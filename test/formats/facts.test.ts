/** Facts are found in every fixture, and edits and commands are read in the form of each agent. */

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { readNativeSession } from "@continuo/agents";
import type { AgentName, SessionFacts } from "@continuo/core/model";
import { sessionFacts } from "@continuo/core/transcript/work";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";

const scratch = scratchFolder("facts");

async function factsIn(one: readonly [AgentName, string]): Promise<readonly SessionFacts[]> {
  const { places, sessions } = await copyHome(mkdtempSync(join(scratch, "home-")), one);
  const all: SessionFacts[] = [];
  for (const { location, cwd } of sessions) {
    const { messages } = await readNativeSession(location, { places });
    all.push(await sessionFacts(messages, { cwd }));
  }
  return all;
}

test.each(FORMAT_CASES)(
  "%s %s: each session has the state in which it stopped, and each fact belongs to one of its turns",
  async (...one) => {
    const all = await factsIn(one);
    expect(all.length).toBeGreaterThan(0);
    for (const { turns, asked, lastAsked, files, commits, tests, end } of all) {
      const places = [asked, lastAsked, end, ...files, ...commits, ...tests].filter((fact) => fact !== null);
      expect(end?.turn).toBe(turns === 0 ? undefined : turns);
      expect(places.filter(({ turn }) => turn < 1 || turn > turns)).toEqual([]);
    }
  },
);

/** The distinct lines that `drawn` makes of the facts of all fixtures of an agent. */
async function lines(agent: AgentName, drawn: (facts: SessionFacts) => readonly string[]): Promise<string[]> {
  const cases = FORMAT_CASES.filter(([name]) => name === agent);
  const all = await Promise.all(cases.map(async (one) => (await factsIn(one)).flatMap(drawn)));
  return [...new Set(all.flat())].sort();
}

const EDITED = "timer.js changed +1 -1 all";

test.each([
  ["codex", [EDITED]],
  ["pi", [EDITED]],
  ["copilot", [EDITED]],
] as const)("an edit of %s is one line that changed", async (agent, expected) => {
  const drawn = await lines(agent, ({ files }) =>
    files.map((file) => `${file.path} ${file.status} +${file.added} -${file.removed} ${file.known}`),
  );
  expect(drawn).toEqual(expected);
});

test("tests that opencode ran count as failed or passed by the exit codes in its records", async () => {
  const drawn = await lines("opencode", ({ tests }) =>
    tests.map(({ command, outcome }) => `${command} ${outcome}`),
  );
  expect(drawn).toEqual(["node timer.test.js failed"]);
});
