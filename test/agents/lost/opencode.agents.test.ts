/**
 * The real opencode confirms the report of `continuo doctor sessions`: opencode's own list lacks the session, shows it
 * with its messages after the change, and lacks it again after the change is undone.
 */

import { join } from "node:path";
import { restoreNativeSession, returnHiddenSession } from "@continuo/native/editing";
import { expect, test } from "vitest";
import { OPENCODE_ID, OPENCODE_RECIPES } from "../../lost/opencode-recipes.ts";
import { hiddenIn } from "../../lost/prove.ts";
import { contentOf, placesOfHome, snapshotOf } from "../../lost/recipe.ts";
import { asObjects, asText } from "../../model-servers/index.ts";
import { type Opencode, openOpencode } from "../opencode/driver.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { expectConfirmed } from "./asked.ts";

const CLOSED = "http://127.0.0.1:9";

test.each(OPENCODE_RECIPES)("the check reports $cause for $title", async ({ cause, write, messages }) => {
  await using sandbox = await makeSandbox();
  const XDG_DATA_HOME = join(sandbox.root, ".local", "share");
  const opencode = await openOpencode(sandbox, CLOSED, {}, { XDG_DATA_HOME });
  const home = { root: sandbox.root, project: sandbox.project };
  // The first start creates the tables.
  await opencode.command(["db", "path"]);
  write(home);
  // Listing the folder marks it as seen, also in its repository.
  expect(await shown(sandbox, opencode, cause)).not.toContain(OPENCODE_ID);
  const [before, content] = [snapshotOf(home), contentOf(home)];
  const [hidden] = await hiddenIn(home, "opencode");
  if (hidden === undefined) throw new Error("nothing is hidden");
  expect([hidden.cause, hidden.found.sessionId]).toEqual([cause, OPENCODE_ID]);
  expect(snapshotOf(home)).toEqual(before);
  if (messages === undefined) return;
  const places = placesOfHome(home);
  const returned = await returnHiddenSession(hidden, { places, write: "in place" });
  const { trashId } = returned;
  await expectConfirmed(home, { ...returned, messages });
  expect(await shown(sandbox, opencode, cause)).toContain(OPENCODE_ID);
  await using server = await opencode.serve();
  expect(await server.messages(OPENCODE_ID)).toHaveLength(messages);
  await server.kill();
  await restoreNativeSession(trashId ?? "", { places });
  expect(rowOf(contentOf(home))).toEqual(rowOf(content));
  expect(await shown(sandbox, opencode, cause)).not.toContain(OPENCODE_ID);
});

/**
 * Returns the ids of the list that lacks the session: the list of the command, or the list in opencode's terminal,
 * which needs the path of the folder.
 */
async function shown({ project }: Sandbox, opencode: Opencode, cause: string): Promise<readonly string[]> {
  if (cause !== "other_path") {
    const { code, stdout, stderr } = await opencode.command(["session", "list", "--format", "json"]);
    if (code !== 0) throw new Error(`opencode session list failed: ${stderr}`);
    return stdout.trim() === "" ? [] : asObjects(JSON.parse(stdout)).map(({ id }) => asText(id));
  }
  await using server = await opencode.serve();
  const query = new URLSearchParams({ path: project.slice(1), directory: project });
  return asObjects(await server.request("GET", `/session?${query}`)).map(({ id }) => asText(id));
}

/** Only the rows of sessions are compared, because opencode records elsewhere which folders it saw. */
function rowOf(content: Readonly<Record<string, string>>): unknown {
  const tables = Object.entries(content).flatMap(([path, text]) =>
    path.endsWith("opencode.db") ? JSON.parse(text) : [],
  );
  return tables.filter(([name]: readonly [string]) => ["session", "message", "part"].includes(name));
}
