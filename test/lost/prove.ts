/**
 * The tests of each recipe of any agent: the session is named, not changed by the check, restored, and hidden again to
 * the byte.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findLeftOut } from "@continuo/agents/catalog";
import type { AgentName } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { findHiddenSessions, hiddenCauses } from "@continuo/native";
import { restoreNativeSession, returnHiddenSession } from "@continuo/native/editing";
import type { HiddenSession } from "@continuo/native/kit";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import {
  contentOf,
  type LostHome,
  type LostRecipe,
  makeLostHome,
  placesOfHome,
  snapshotOf,
} from "./recipe.ts";

export async function hiddenIn(home: LostHome, agent: AgentName): Promise<readonly HiddenSession[]> {
  return await Array.fromAsync(findHiddenSessions({ places: placesOfHome(home), agents: [agent] }));
}

/** Declares the quick tests of an agent: its recipes, its healthy homes, and that every cause has a recipe. */
export function proveRecipes(agent: AgentName, recipes: readonly LostRecipe[]): void {
  test.each(recipes)(
    "$title: $cause is named, and undone to the byte",
    async (recipe) => await proveRecipe(agent, recipe),
  );

  test(`each cause that ${agent} can have here has a recipe`, async () => {
    const causes = await hiddenCauses(agent);
    const made = Object.keys(causes).filter((cause) => causes[cause]?.evidence === "made");
    expect(new Set(recipes.map(({ cause }) => cause))).toEqual(new Set(made));
  });

  const healthy = FORMAT_CASES.filter(([name]) => name === agent);
  test.each(healthy)("%s/%s: no session is hidden", async (_agent, name) => {
    using scratch = openScratch();
    const { places, sessions } = await copyHome(scratch.path, [agent, name]);
    expect(sessions).not.toEqual([]);
    const causes = await hiddenCauses(agent);
    const hidden = await Array.fromAsync(findHiddenSessions({ places, agents: [agent] }));
    expect(hidden.filter(({ cause }) => causes[cause]?.intended !== true)).toEqual([]);
  });
}

/**
 * Checks that the session is named without a change, restored, and hidden again to the byte; without messages, no step
 * is offered.
 */
export async function proveRecipe(
  agent: AgentName,
  { cause, otherCauses = [], write, messages }: LostRecipe,
): Promise<void> {
  using scratch = openScratch();
  const home = makeLostHome(scratch.path);
  write(home);
  const [before, content] = [snapshotOf(home), contentOf(home)];
  const hidden = await hiddenIn(home, agent);
  expect(hidden.map((one) => one.cause).toSorted()).toEqual([cause, ...otherCauses].toSorted());
  expect(snapshotOf(home)).toEqual(before);
  const first = hidden.find((one) => one.cause === cause);
  if (first === undefined) throw new Error("nothing is hidden");
  const places = placesOfHome(home);
  await expectLeftOut(agent, places, [cause, ...otherCauses]);
  const planned = await returnHiddenSession(first, { places });
  expect(snapshotOf(home)).toEqual(before);
  if (messages === undefined) {
    expect(planned.steps).toEqual([]);
    return;
  }
  expect(planned.steps).not.toEqual([]);
  const { trashId } = await returnHiddenSession(first, { places, write: "in place" });
  expect((await hiddenIn(home, agent)).map((one) => one.cause)).toEqual(otherCauses);
  expect(contentOf(home)).not.toEqual(content);
  await restoreNativeSession(trashId ?? "", { places });
  expect(contentOf(home)).toEqual(content);
}

/** Only what the agent does not hide on purpose is reported to people. */
async function expectLeftOut(agent: AgentName, places: Places, causes: readonly string[]): Promise<void> {
  using index = openScratch();
  const facts = await hiddenCauses(agent);
  const env = { ...places.env, CONTINUO_HOME: index.path };
  const left = await findLeftOut({ ...places, env }, { agents: [agent] });
  const unintended = causes.filter((one) => facts[one]?.intended === false);
  expect(left.map(({ hidden }) => hidden.cause).toSorted()).toEqual(unintended.toSorted());
}

function openScratch(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "continuo-lost-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
