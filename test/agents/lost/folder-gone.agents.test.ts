/**
 * After a folder is renamed, the real Codex and pi do not list its session for the new folder. After `continuo
 * relocate` they do, until the change is undone.
 */

import type { AgentName } from "@continuo/core/model";
import { relocateProject, restoreNativeSession } from "@continuo/native/editing";
import { expect, test } from "vitest";
import { CODEX_RECIPES, THREAD } from "../../lost/codex-recipes.ts";
import { PI_ID, PI_RECIPES } from "../../lost/pi-recipes.ts";
import { hiddenIn } from "../../lost/prove.ts";
import { type LostRecipe, placesOfHome, snapshotOf } from "../../lost/recipe.ts";
import { asObjects, asText } from "../../model-servers/index.ts";
import { openCodex } from "../codex/driver.ts";
import { listOfFolder } from "../pi/own-reader.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

/** The ids in the agent's own list of the new folder. */
type OwnList = (sandbox: Sandbox) => Promise<readonly string[]>;

const AGENTS: readonly (readonly [AgentName, string, readonly LostRecipe[], OwnList])[] = [
  ["codex", THREAD, CODEX_RECIPES, listOfCodex],
  ["pi", PI_ID, PI_RECIPES, listOfPi],
];

test.each(AGENTS)(
  "%s lists a session of a renamed project after `continuo relocate`, and no longer after the change is undone",
  async (agent, id, recipes, listed) => {
    await using sandbox = await makeSandbox();
    const home = { root: sandbox.root, project: sandbox.project };
    const places = placesOfHome(home);
    recipes.find(({ cause }) => cause === "folder_gone")?.write(home);
    const before = sessionsIn(snapshotOf(home));
    expect(Object.keys(before)).toHaveLength(1);
    expect(await listed(sandbox)).toEqual([]);
    const hidden = await hiddenIn(home, agent);
    expect(hidden.map(({ cause, found }) => [cause, found.sessionId])).toEqual([["folder_gone", id]]);
    expect(sessionsIn(snapshotOf(home))).toEqual(before);
    const { trashId } = await relocateProject(`${sandbox.project}-before`, sandbox.project, {
      places,
      write: "in place",
    });
    expect(await hiddenIn(home, agent)).toEqual([]);
    expect(await listed(sandbox)).toEqual([id]);
    await restoreNativeSession(trashId ?? "", { places, force: true });
    expect(sessionsIn(snapshotOf(home))).toEqual(before);
    expect(await listed(sandbox)).toEqual([]);
  },
);

/** Returns only the session files, because an agent changes its databases even when it only reads. */
function sessionsIn(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => path.endsWith(".jsonl")));
}

async function listOfCodex(sandbox: Sandbox): Promise<readonly string[]> {
  const codex = await openCodex(sandbox, "http://127.0.0.1:9");
  await using app = await codex.appServer();
  const { data } = await app.request("thread/list", { cwd: sandbox.project });
  return asObjects(data).map(({ id }) => asText(id));
}

async function listOfPi(sandbox: Sandbox): Promise<readonly string[]> {
  return (await listOfFolder(sandbox, sandbox.project)).map(({ id }) => asText(id));
}
