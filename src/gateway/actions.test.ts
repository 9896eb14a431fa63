/**
 * An editor deletes a conversation by one row: Continuo moves its own session and the sessions of every agent that took
 * part to the trash.
 */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listOwn, openOwn, trashedOwn } from "@continuo/agents/catalog";
import type { PlacesAt } from "@continuo/files";
import { listTrashedSessions } from "@continuo/native/editing";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { claudeFile, claudeText } from "../../test/cli/home.ts";
import { scratchFolder } from "../../test/scratch-folder.ts";
import { deleteSession } from "./actions.ts";
import { findSession } from "./look-up.ts";

const idOf = (at: number): string => `4bf3eeee-0000-4000-8000-${String(at).padStart(12, "0")}`;

test("deleting a conversation moves every native session of it that is there to the trash, and no other", async () => {
  const home = scratchFolder("actions");
  const places: PlacesAt = { home, cwd: home, env: {} };
  for (const at of [1, 2, 3]) {
    const line = { uuid: `u${at}`, parent: null, role: "user", content: "Why?", time: "10:00:00" } as const;
    const file = join(home, claudeFile(idOf(at)));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, claudeText(idOf(at), [line]));
  }
  mkdirSync(join(home, ".continuo"));
  const store = await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
  const takenFrom = { agent: "claude", sessionId: idOf(1) };
  const providerSessions = { claude: { sessionId: idOf(2) }, codex: { sessionId: "gone" } };
  await store.createSession({ sessionId: "own", metadata: { takenFrom, providerSessions } });
  await store.createSession({ sessionId: "other" });
  await store.close();
  await deleteSession(await findSession(`claude:${idOf(1)}`, places), places);
  const there = [1, 2, 3].filter((at) => existsSync(join(home, claudeFile(idOf(at)))));
  expect(there).toEqual([3]);
  const trashed = listTrashedSessions({ places: { home, env: {} } }).map(({ info }) => info.sessionId);
  expect(trashed.toSorted()).toEqual([idOf(1), idOf(2)]);
  await using own = await openOwn(places);
  if (own === null) throw new Error("the store was made");
  expect((await listOwn(own)).map(({ sessionId }) => sessionId)).toEqual(["other"]);
  expect((await trashedOwn(own)).map(({ info }) => info.sessionId)).toEqual(["own"]);
});
