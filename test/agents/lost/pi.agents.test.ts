/**
 * The real pi confirms what `continuo doctor sessions` says: its own list lacks the session, has it after the change with
 * its messages, and lacks it again after the change is undone.
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { restoreNativeSession, returnHiddenSession } from "@continuo/native/editing";
import { expect, test } from "vitest";
import { otherWaysOf } from "../../lost/other-ways.ts";
import { PI_ID, PI_RECIPES } from "../../lost/pi-recipes.ts";
import { hiddenIn } from "../../lost/prove.ts";
import { placesOfHome, snapshotOf } from "../../lost/recipe.ts";
import { asObjects, asText } from "../../model-servers/index.ts";
import { PINNED, packageFolder } from "../install.ts";
import { makeSandbox, runProgram, type Sandbox } from "../sandbox.ts";
import { expectConfirmed } from "./asked.ts";

/**
 * A list of all folders has this session: see `folder-gone.agents.test.ts`. The other one is brought back by pi's own
 * command.
 */
const OTHERS = new Set(["folder_gone", "other_session_dir"]);
const RECIPES = PI_RECIPES.filter(({ cause }) => !OTHERS.has(cause));

test.each([...RECIPES, ...otherWaysOf("pi")])("$title: $cause", async ({ cause, write, messages }) => {
  await using sandbox = await makeSandbox();
  const home = { root: sandbox.root, project: sandbox.project };
  write(home);
  const before = snapshotOf(home);
  expect(await listed(sandbox, "list(process.cwd())")).toEqual([]);
  const isInAll = cause === "other_folder";
  expect(await listed(sandbox, "listAll()")).toHaveLength(isInAll ? 1 : 0);
  const [hidden] = await hiddenIn(home, "pi");
  if (hidden === undefined) throw new Error("nothing is hidden");
  expect(hidden.cause).toBe(cause);
  expect(snapshotOf(home)).toEqual(before);
  const places = placesOfHome(home);
  const returned = await returnHiddenSession(hidden, { places, write: "in place" });
  const { trashId } = returned;
  await expectConfirmed(home, { ...returned, messages: messages ?? 0 });
  for (const how of ["list(process.cwd())", "listAll()"]) {
    expect(await listed(sandbox, how)).toEqual([{ id: PI_ID, messageCount: messages }]);
  }
  await restoreNativeSession(trashId ?? "", { places });
  expect(snapshotOf(home)).toEqual(before);
});

test("a session outside the configured folder is in the list of the folder where it is stored", async () => {
  await using sandbox = await makeSandbox();
  const home = { root: sandbox.root, project: sandbox.project };
  PI_RECIPES.find(({ cause }) => cause === "other_session_dir")?.write(home);
  const before = snapshotOf(home);
  const folder = "SettingsManager.create(process.cwd()).getSessionDir()";
  for (const how of [`list(process.cwd(), ${folder})`, `listAll(${folder})`])
    expect(await listed(sandbox, how)).toEqual([]);
  const [hidden] = await hiddenIn(home, "pi");
  if (hidden === undefined) throw new Error("nothing is hidden");
  expect(hidden.cause).toBe("other_session_dir");
  const { steps, command } = await returnHiddenSession(hidden, { places: placesOfHome(home) });
  expect([steps, command?.slice(0, 2)]).toEqual([[], ["pi", "--session-dir"]]);
  expect(snapshotOf(home)).toEqual(before);
  const shown = await listed(sandbox, `list(process.cwd(), ${JSON.stringify(command?.[2])})`);
  expect(shown).toEqual([{ id: PI_ID, messageCount: 2 }]);
});

/** Returns the rows of pi's own list, which a separate process makes. */
async function listed(sandbox: Sandbox, how: string): Promise<readonly object[]> {
  const module = pathToFileURL(join(packageFolder(PINNED.pi), "dist/bundle/index.js")).href;
  const source = `
    const { SessionManager, SettingsManager } = await import(process.argv[1]);
    process.stdout.write("\\n" + JSON.stringify(await SessionManager.${how}));`;
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    ["--input-type=module", "--eval", source, module],
    { cwd: sandbox.project, env: sandbox.environment({ PI_OFFLINE: "1", PI_TELEMETRY: "0" }) },
  );
  if (code !== 0) throw new Error(`pi's own list failed: ${stderr}`);
  const rows = asObjects(JSON.parse(stdout.split("\n").at(-1) ?? "[]"));
  return rows.map(({ id, messageCount }) => ({ id: asText(id), messageCount }));
}
