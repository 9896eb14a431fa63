/** The rows of sessions under the ids by which editors know them. */

import type { ListedSession, OwnRow } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { scratchFolder } from "../../test/scratch-folder.ts";
import { infosOf, type NamedRow, namedRows } from "./row-info.ts";

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

test("a row has the agent that answered last, a folder for the protocol, and leaves out what is unknown", async () => {
  const home = scratchFolder("row-info");
  const places = { home, cwd: "/elsewhere", env: {} };
  const facts = { title: null, cwd: null, updatedAt: null, archived: false, live: null, problems: [] };
  const moved = { ...facts, archived: true, live: true, movedTo: { machine: "ssh://far" } };
  const rows: NamedRow[] = [
    { row: row("continuo", "own", { ...facts, lastAgent: "codex" }) as OwnRow, id: "continuo:own" },
    {
      row: row("continuo", "new", { ...facts, lastAgent: null }) as OwnRow,
      id: "continuo:new",
      ownSourceId: "continuo:own",
    },
    {
      row: row("pi", "native", { ...moved, title: "T", cwd: home, forkedFrom: "first" }) as ListedSession,
      id: "pi:native",
    },
  ];
  expect(await infosOf(rows, { places, prices: null })).toEqual([
    {
      sessionId: "continuo:own",
      cwd: home,
      archived: false,
      _meta: { continuo: { agent: "codex", cwd: null } },
    },
    {
      sessionId: "continuo:new",
      cwd: home,
      archived: false,
      _meta: { continuo: { agent: null, cwd: null, forkedFrom: "continuo:own" } },
    },
    {
      sessionId: "pi:native",
      cwd: home,
      title: "T",
      archived: true,
      _meta: {
        continuo: {
          agent: "pi",
          cwd: home,
          live: true,
          health: { movedTo: "ssh://far" },
          forkedFrom: "pi:first",
        },
      },
    },
  ]);
});
