/** The rows of sessions under the ids by which editors know them. */

import type { ListedSession, OwnRow } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { namedRows } from "./row-info.ts";

const row = (agent: string, sessionId: string, more: object = {}) =>
  ({
    agent,
    sessionId,
    location: `/home/${sessionId}`,
    forkedFrom: null,
    importedFrom: null,
    ...more,
  }) as unknown;

const native = row("codex", "native") as ListedSession;
const from = { agent: "codex", sessionId: "native", location: "/home/native" };
const imported = row("continuo", "imported", { importedFrom: from, createdAt: "2026-01-01T00:00:00.000Z" });
const fork = row("continuo", "fork", { forkedFrom: "imported" });
const other = row("codex", "other") as ListedSession;

test("a native session that was imported has one row, under the id that an editor knew before", () => {
  const own = [imported, fork] as OwnRow[];
  const idOfNative = namedRows([native], [])[0]?.id;
  const named = namedRows([native, other, ...own], own);
  expect(named.map((one) => one.row.sessionId)).toEqual(["other", "imported", "fork"]);
  expect(named[1]?.id).toBe(idOfNative);
  expect(named[2]?.ownSourceId).toBe(idOfNative);
  expect(new Set(named.map(({ id }) => id)).size).toBe(named.length);
});
