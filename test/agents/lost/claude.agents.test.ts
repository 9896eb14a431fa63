/**
 * The real Claude Code confirms what `continuo doctor sessions` says: its own list lacks the session, has it after the
 * change with its messages, and lacks it again after the change is undone.
 */

import { appendFileSync } from "node:fs";
import { basename, join } from "node:path";
import { askAgent } from "@continuo/agents/handoff";
import { restoreNativeSession, returnHiddenSession } from "@continuo/native/editing";
import { expect, test } from "vitest";
import { CLAUDE_RECIPES } from "../../lost/claude-recipes.ts";
import { otherWaysOf } from "../../lost/other-ways.ts";
import { hiddenIn } from "../../lost/prove.ts";
import { placesOfHome, snapshotOf } from "../../lost/recipe.ts";
import { asObjects, asText } from "../../model-servers/index.ts";
import { claudeBinary, openClaude } from "../claude/driver.ts";
import { callSdk } from "../claude/sdk.ts";
import { makeSandbox } from "../sandbox.ts";
import { expectConfirmed } from "./asked.ts";

const CLOSED = "http://127.0.0.1:9";

test.each([...CLAUDE_RECIPES, ...otherWaysOf("claude")])(
  "$title: $cause",
  async ({ cause, write, messages, resumed }) => {
    await using sandbox = await makeSandbox();
    const claude = await openClaude(sandbox, CLOSED, "bare");
    const home = { root: sandbox.root, project: sandbox.project };
    write(home);
    // The agent's own reader changes no file either, so the test compares what it read.
    const before = snapshotOf(home);
    const [hidden] = await hiddenIn(home, "claude");
    if (hidden === undefined) throw new Error("nothing is hidden");
    expect(hidden.cause).toBe(cause);
    const listed = async (options: object): Promise<readonly string[]> =>
      asObjects(await callSdk(sandbox, claude, "listSessions", [options])).map((row) =>
        asText(row.sessionId),
      );
    const others = await listed({ dir: sandbox.project });
    expect(others).not.toContain(basename(hidden.found.location, ".jsonl"));
    if (messages === undefined) return;
    const places = placesOfHome(home);
    const returned = await returnHiddenSession(hidden, { places, write: "in place" });
    const id = basename(returned.newLocation, ".jsonl");
    for (const options of [{}, { dir: sandbox.project }]) expect(await listed(options)).toContain(id);
    const read = await callSdk(sandbox, claude, "getSessionMessages", [id, { dir: sandbox.project }]);
    expect(asObjects(read)).toHaveLength(messages);
    await expectConfirmed(home, { ...returned, messages: resumed ?? messages });
    await restoreNativeSession(returned.trashId ?? "", { places });
    expect(snapshotOf(home)).toEqual(before);
    expect(await listed({ dir: sandbox.project })).toEqual(others);
  },
);

test("the list of all folders lacks each session that Continuo names, except those in another folder", async () => {
  await using sandbox = await makeSandbox();
  const claude = await openClaude(sandbox, CLOSED, "bare");
  for (const [at, { write }] of CLAUDE_RECIPES.entries()) {
    // All sessions have the same id, so each has its own home, and one list covers all homes.
    const root = join(sandbox.root, `home-${at}`);
    const home = { root, project: join(root, "project") };
    write(home);
    const env = { ...claude.environment, CLAUDE_CONFIG_DIR: join(root, ".claude") };
    const all = asObjects(await callSdk(sandbox, { ...claude, environment: env }, "listSessions", [{}]));
    const shown = new Set(all.map((row) => asText(row.sessionId)));
    for (const { found, cause } of await hiddenIn(home, "claude")) {
      const isShown = shown.has(basename(found.location, ".jsonl"));
      expect([cause, isShown]).toEqual([cause, cause === "other_folder"]);
    }
  }
});

test.each(CLAUDE_RECIPES.filter(({ cause }) => ["sidechain_first", "other_folder"].includes(cause)))(
  "Claude Code does not find a session by its title if its list lacks the session: $title",
  async ({ write }) => {
    await using sandbox = await makeSandbox();
    const home = { root: sandbox.root, project: sandbox.project };
    write(home);
    const [hidden] = await hiddenIn(home, "claude");
    if (hidden === undefined) throw new Error("nothing is hidden");
    const title = {
      type: "custom-title",
      customTitle: "A title of its own",
      sessionId: hidden.found.sessionId,
    };
    appendFileSync(hidden.found.location, `${JSON.stringify(title)}\n`);
    const places = { ...placesOfHome(home), env: { PATH: process.env.PATH } };
    const answer = await askAgent(hidden.found, {
      places,
      cwd: home.project,
      programs: { claude: [claudeBinary()] },
    });
    expect(answer).toEqual({ outcome: "missing", by: "claude --resume TITLE" });
  },
);
