/** The content of `show` and `export`: the model view, tool calls, insertions of an agent's program. */

import { join } from "node:path";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import type { SavedPage } from "@continuo/core/wire/machine";
import { openStore } from "@continuo/store";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { copyHome } from "../fixture-home.ts";
import { builtViewer } from "../sizes/shared-programs.ts";
import { CLAUDE_ID, createHome, type Home, type Run, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

beforeAll(builtViewer);

let home: Home;
beforeEach(() => {
  home = createHome();
});

interface Shown {
  readonly messages: readonly { readonly id: string; readonly role: string; readonly content: unknown }[];
}

describe.each(AGENT_NAMES)("a compacted session of %s", (agent: AgentName) => {
  let name: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    const { places, sessions } = await copyHome(home.path, [agent, "compaction"]);
    env = Object.fromEntries(Object.entries(places.env).map(([key, value]) => [key, value ?? ""]));
    name = `${agent}:${sessions[0]?.sessionId}`;
  });
  const run = (...args: readonly string[]): Promise<Run> => runHere(home, args, { env });

  test("has a model view without the compacted messages, on screen, as JSON and in every export", async () => {
    const all = JSON.parse((await run("show", name, "--json")).stdout) as Shown;
    const view = JSON.parse((await run("show", name, "--json", "--model-view")).stdout) as Shown;
    expect(view.messages.length).toBeLessThan(all.messages.length);
    // The heading counts the messages below it.
    const count = `${view.messages.length} message`;
    expect((await run("show", name, "--model-view")).stdout).toContain(` · ${count}`);
    const page = (await run("export", name, "--model-view", "--format", "html")).stdout;
    expect(savedIn(page).sessions[0]?.histories[0]?.messages.map(({ message: { id } }) => id)).toEqual(
      view.messages.map(({ id }) => id),
    );
    expect(JSON.parse((await run("export", name, "--format", "json", "--model-view")).stdout)).toEqual(view);
    const lines = (await run("export", name, "--format", "jsonl", "--model-view")).stdout
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(view.messages);
    const said = "The model view: what the agent sends to its model";
    for (const args of [
      ["show", name],
      ["export", name],
      ["export", name, "--format", "html"],
    ]) {
      expect((await run(...args, "--model-view")).stdout).toContain(said);
      expect((await run(...args)).stdout).not.toContain(said);
    }
  });

  test("refuses --model-view together with --all", async () => {
    for (const args of [
      ["show", name, "--all"],
      ["show", name, "--tree"],
      ["export", name, "--all"],
    ]) {
      expect((await run(...args, "--model-view")).code).toBe(2);
    }
  });
});

test("a session of Continuo's own has no model view of its own: the error names its native sessions", async () => {
  writeSessions(home);
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  const { sessionId } = await store.createSession({
    metadata: { providerSessions: { claude: { sessionId: CLAUDE_ID } } },
  });
  const { code, stderr } = await runHere(home, ["show", sessionId, "--model-view"]);
  expect(code).toBe(1);
  expect(stderr).toContain(`continuo session show claude:${CLAUDE_ID} --model-view`);
});

test("export --tools none leaves calls and results out of md and html, and counts them", async () => {
  writeSessions(home);
  for (const format of ["md", "html"]) {
    const full = (await runHere(home, ["export", CLAUDE_ID, "--format", format])).stdout;
    const none = (await runHere(home, ["export", CLAUDE_ID, "--format", format, "--tools", "none"])).stdout;
    expect(full).toContain("line 20");
    expect(none).not.toContain("line 20");
    expect(none).toContain("2 tool calls and results not shown");
    expect(none).toContain("Try again");
  }
  const short = (await runHere(home, ["export", CLAUDE_ID, "--tools", "short"])).stdout;
  expect(short).toContain("*(8 more lines)*");
});

test("export leaves insertions for the model out of md, and folds them in html", async () => {
  const { places, sessions } = await copyHome(home.path, ["codex", "compaction"]);
  const env = Object.fromEntries(Object.entries(places.env).map(([key, value]) => [key, value ?? ""]));
  const id = sessions[0]?.sessionId ?? "";
  const out = async (...args: readonly string[]): Promise<string> =>
    (await runHere(home, ["export", id, ...args], { env })).stdout;
  expect(await out()).toMatch(/injected messages? not shown: --injected/u);
  expect(await out()).not.toContain("## Injected");
  expect(await out("--injected")).toContain("## Injected");
  const folded = '<details class="hidden"><summary>Injected for the model</summary>';
  expect(await out("--format", "html")).toContain(folded);
});

function savedIn(page: string): SavedPage {
  const [, text = ""] =
    /<script type="application\/json" id="saved-session">(.*?)<\/script>/su.exec(page) ?? [];
  return JSON.parse(text);
}
