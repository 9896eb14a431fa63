/**
 * The real Codex confirms what `continuo doctor sessions` reports. Its own list lacks the thread. After the change,
 * the list has the thread, and Codex resumes the thread with its messages. After the change is undone, the list lacks
 * the thread again. The databases of Codex exist during the whole test.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { restoreNativeSession, returnHiddenSession } from "@continuo/native/editing";
import { expect, test } from "vitest";
import { CODEX_RECIPES, THREAD } from "../../lost/codex-recipes.ts";
import { otherWaysOf } from "../../lost/other-ways.ts";
import { hiddenIn } from "../../lost/prove.ts";
import { type LostHome, placesOfHome, snapshotOf } from "../../lost/recipe.ts";
import { asObject, asObjects, asText } from "../../model-servers/index.ts";
import { type Codex, openCodex } from "../codex/driver.ts";
import { makeSandbox } from "../sandbox.ts";
import { expectConfirmed } from "./asked.ts";

const CLOSED = "http://127.0.0.1:9";

/** `folder-gone.agents.test.ts` has the other recipe, because a list of all folders has that session. */
const RECIPES = CODEX_RECIPES.filter(({ cause }) => cause !== "folder_gone");

test.each([...RECIPES, ...otherWaysOf("codex")])(
  "$title: Codex confirms the report of $cause",
  async ({ cause, write, messages }) => {
    await using sandbox = await makeSandbox();
    const codex = await openCodex(sandbox, CLOSED);
    const home = { root: sandbox.root, project: sandbox.project };
    write(home);
    const before = rolloutsOf(home);
    expect(await listed(codex)).not.toContain(THREAD);
    const [hidden] = await hiddenIn(home, "codex");
    if (hidden === undefined) throw new Error("doctor reports no hidden session");
    expect([hidden.cause, hidden.found.sessionId]).toEqual([cause, THREAD]);
    expect(rolloutsOf(home)).toEqual(before);
    const places = placesOfHome(home);
    if (messages === undefined) {
      const { command } = await returnHiddenSession(hidden, { places });
      if (command !== null) {
        await codex.command(command.slice(1));
        expect(await listed(codex)).toContain(THREAD);
      }
      return;
    }
    const row = rowOf(codex);
    const returned = await returnHiddenSession(hidden, { places, write: "in place" });
    const { trashId } = returned;
    await expectConfirmed(home, { ...returned, messages });
    expect(await listed(codex)).toContain(THREAD);
    expect(await messagesOf(codex)).toBe(messages);
    const grown = Object.keys(rolloutsOf(home)).length;
    expect(grown).toBe(Object.keys(before).length);
    await restoreNativeSession(trashId ?? "", { places, force: true });
    expect(rolloutsOf(home)).toEqual(before);
    expect(rowOf(codex)).toEqual(row);
    expect(await listed(codex)).not.toContain(THREAD);
  },
);

/** The row of the thread in Codex's index. */
function rowOf({ home }: Codex): unknown {
  const name = readdirSync(home).find((one) => /^state_\d+\.sqlite$/u.test(one));
  using database = new DatabaseSync(join(home, name ?? ""), { readOnly: true });
  return database.prepare("select * from threads where id = ?").get(THREAD);
}

/** Returns only the rollouts, which are the sessions, because Codex changes its databases when it reads. */
function rolloutsOf(home: LostHome): Readonly<Record<string, string>> {
  const all = Object.entries(snapshotOf(home));
  return Object.fromEntries(all.filter(([path]) => path.includes("sessions/") && path.includes("rollout-")));
}

async function listed(codex: Codex): Promise<readonly string[]> {
  await using app = await codex.appServer();
  return asObjects((await app.request("thread/list", {})).data).map(({ id }) => asText(id));
}

/** Resumes the thread without a request to a model, and returns its number of messages of both sides. */
async function messagesOf(codex: Codex): Promise<number> {
  await using app = await codex.appServer();
  await app.request("thread/resume", { threadId: THREAD });
  const { thread } = await app.request("thread/read", { threadId: THREAD, includeTurns: true });
  const items = asObjects(asObject(thread).turns).flatMap(({ items }) => asObjects(items));
  return items.filter(({ type }) => type === "userMessage" || type === "agentMessage").length;
}
