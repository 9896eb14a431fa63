import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deleteInRounds } from "./own-changes.ts";
import { emptyOwnTrash, trashOwn } from "./own-trash.ts";
import { listOwn, listTrashedOwn, type OpenOwn, readOwn } from "./store.ts";

let store: Store;
let own: OpenOwn;

beforeEach(async () => {
  store = await openStore("memory:");
  own = readOwn(store);
});

afterEach(() => store.close());

/** Moves new sessions with these ids to the trash. */
async function fillTrash(ids: readonly string[]): Promise<void> {
  for (const sessionId of ids) await store.createSession({ sessionId });
  const places = { home: "/nowhere", env: {} };
  for (const row of await listOwn(own)) if (ids.includes(row.sessionId)) await trashOwn(row, own, { places });
}

const idsOf = (some: readonly { readonly sessionId: string }[]): readonly string[] =>
  some.map(({ sessionId }) => sessionId).toSorted();

test("emptying the trash leaves a session that runs, and one that another process deleted first does not stop it", async () => {
  await fillTrash(["a", "b", "c", "d"]);
  const lease = await store.acquireLease("session/c", { owner: "elsewhere", ttlMs: 60_000 });
  expect(lease).not.toBeNull();
  const remove = store.deleteSession.bind(store);
  vi.spyOn(store, "deleteSession").mockImplementation(async (...args) => {
    if (args[0] === "b") await remove(...args);
    await remove(...args);
  });
  const { deleted, stayed } = await emptyOwnTrash(own);
  expect(idsOf(deleted.map(({ info }) => info))).toEqual(["a", "d"]);
  expect(idsOf(stayed.map(({ info }) => info))).toEqual(["c"]);
  expect(idsOf(await listTrashedOwn(own))).toEqual(["c"]);
});

test("a session is deleted after the fork that reads it, whichever of them is named first", async () => {
  const there = new Set(["source", "fork", "fork of the fork", "source of another"]);
  const needs = new Map([
    ["source", "fork"],
    ["fork", "fork of the fork"],
    ["source of another", "one that stays"],
  ]);
  const stayed = await deleteInRounds([...there], async (one) => {
    const fork = needs.get(one) ?? "";
    return fork !== "one that stays" && !there.has(fork) && there.delete(one);
  });
  expect([stayed, [...there]]).toEqual([["source of another"], ["source of another"]]);
});

test("a session that another process restores while the trash is emptied is not deleted", async () => {
  await fillTrash(["a", "b", "c"]);
  const remove = store.deleteSession.bind(store);
  vi.spyOn(store, "deleteSession").mockImplementation(async (deleted, ...rest) => {
    for (const { sessionId } of await listTrashedOwn(own))
      if (sessionId !== deleted) await store.updateSession(sessionId, { metadata: { trashed: null } });
    await remove(deleted, ...rest);
  });
  const { deleted, stayed } = await emptyOwnTrash(own);
  expect([deleted.length, stayed.length]).toEqual([1, 0]);
  expect(await listOwn(own)).toHaveLength(2);
});

test("a program's own facts about a trash do not move its session there", async () => {
  const at = "2026-11-30T10:00:00.000Z";
  await store.createSession({ sessionId: "a", metadata: { trashedAt: at, trashed: true } });
  await store.createSession({ sessionId: "b", metadata: { trashed: { sessionId: "a", at } } });
  await store.createSession({ sessionId: "c", metadata: { trashed: { sessionId: "c", at: "soon" } } });
  await fillTrash(["d"]);
  expect(idsOf(await listOwn(own))).toEqual(["a", "b", "c"]);
  expect((await emptyOwnTrash(own)).deleted.map(({ info }) => info.sessionId)).toEqual(["d"]);
  expect(idsOf(await listOwn(own))).toEqual(["a", "b", "c"]);
});
