/**
 * An editor deletes a conversation by one row: Continuo moves its own session and the sessions of every agent that took
 * part to the trash.
 */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listOwn, openOwn, restoreOwn, trashedOwn } from "@continuo/agents/catalog";
import type { Store } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { listTrashedSessions, trashNativeSession } from "@continuo/native/editing";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { claudeFile, claudeText } from "../../test/cli/home.ts";
import { scratchFolder } from "../../test/scratch-folder.ts";
import { deleteSession } from "./actions.ts";
import { findSession } from "./look-up.ts";

const idOf = (at: number): string => `4bf3eeee-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** A home with these native sessions. */
function homeWith(ids: readonly string[]): PlacesAt {
  const home = scratchFolder("actions");
  writeNative(home, ids);
  mkdirSync(join(home, ".continuo"));
  return { home, cwd: home, env: {} };
}

function writeNative(home: string, ids: readonly string[]): void {
  for (const id of ids) {
    const line = { uuid: "u1", parent: null, role: "user", content: "Why?", time: "10:00:00" } as const;
    const file = join(home, claudeFile(id));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, claudeText(id, [line]));
  }
}

async function openStoreIn({ home }: PlacesAt): Promise<Store> {
  return await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
}

const isThere = ({ home }: PlacesAt, id: string): boolean => existsSync(join(home, claudeFile(id)));

/** Deletes the session `own`, and checks that it is in the trash. */
async function deleteOwnSession(places: PlacesAt): Promise<void> {
  await deleteSession(await findSession("continuo:own", places), places);
  await using own = await openOwn(places);
  if (own === null) throw new Error("the store was made");
  expect((await trashedOwn(own)).map(({ info }) => info.sessionId)).toEqual(["own"]);
}

test("deleting a conversation moves every native session of it that is there to the trash, and no other", async () => {
  const places = homeWith([1, 2, 3].map(idOf));
  const { home } = places;
  const store = await openStoreIn(places);
  const takenFrom = { agent: "claude", sessionId: idOf(1) };
  const providerSessions = { claude: { sessionId: idOf(2) }, codex: { sessionId: "gone" } };
  await store.createSession({ sessionId: "own", metadata: { takenFrom, providerSessions } });
  await store.createSession({ sessionId: "other" });
  await store.close();
  await deleteSession(await findSession(`claude:${idOf(1)}`, places), places);
  const there = [1, 2, 3].filter((at) => isThere(places, idOf(at)));
  expect(there).toEqual([3]);
  const trashed = listTrashedSessions({ places: { home, env: {} } }).map(({ info }) => info.sessionId);
  expect(trashed.toSorted()).toEqual([idOf(1), idOf(2)]);
  await using own = await openOwn(places);
  if (own === null) throw new Error("the store was made");
  expect((await listOwn(own)).map(({ sessionId }) => sessionId)).toEqual(["other"]);
  expect((await trashedOwn(own)).map(({ info }) => info.sessionId)).toEqual(["own"]);
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ["an import that was interrupted", { importing: `claude:${idOf(1)}` }],
  ["a second import, if the first one still continues", {}],
])("deleting %s leaves the native session in its place", async (_, metadata) => {
  const places = homeWith([idOf(1)]);
  const takenFrom = { agent: "claude", sessionId: idOf(1) };
  {
    await using store = await openStoreIn(places);
    const isInterrupted = "importing" in metadata;
    if (!isInterrupted) await store.createSession({ sessionId: "first", metadata: { takenFrom } });
    await store.createSession({ sessionId: "own", metadata: { takenFrom, ...metadata } });
  }
  await deleteOwnSession(places);
  expect(isThere(places, idOf(1))).toBe(true);
});

test.each([
  ["a longer id begins with it", ["gone-2"]],
  ["two longer ids begin with it", ["gone-2", "gone-3"]],
])("deleting a conversation whose native session is gone moves no other one if %s", async (_, ids) => {
  const places = homeWith(ids);
  {
    await using store = await openStoreIn(places);
    const providerSessions = { claude: { sessionId: "gone" } };
    await store.createSession({ sessionId: "own", metadata: { providerSessions } });
  }
  await deleteOwnSession(places);
  expect(ids.filter((id) => isThere(places, id))).toEqual(ids);
});

test("a conversation is restored with the newest state of a native session that was deleted twice", async () => {
  const places = homeWith([idOf(1)]);
  const options = { places: { home: places.home, env: {} } };
  const native = { agent: "claude", sessionId: idOf(1) } as const;
  const old = await trashNativeSession(`claude:${idOf(1)}`, options);
  writeNative(places.home, [idOf(1)]);
  {
    await using store = await openStoreIn(places);
    const metadata = { takenFrom: native, providerSessions: { claude: { sessionId: idOf(1) } } };
    await store.createSession({ sessionId: "own", metadata });
  }
  await deleteOwnSession(places);
  await using own = await openOwn(places);
  if (own === null) throw new Error("the store was made");
  await restoreOwn("own", own, options);
  expect(isThere(places, idOf(1))).toBe(true);
  expect(listTrashedSessions(options).map(({ trashId }) => trashId)).toEqual([old.trashId]);
});
