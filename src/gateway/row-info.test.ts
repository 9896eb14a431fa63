/** The rows of sessions under the ids by which editors know them. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ListedSession, type OwnRow, shippedPrices, usageOfAll } from "@continuo/agents/catalog";
import { afterEach, expect, test, vi } from "vitest";
import { claudeText } from "../../test/cli/home.ts";
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

afterEach(() => {
  vi.useRealTimers();
});

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

test("of two conversations that were imported from one native session, only the first has its id", () => {
  const again = row("continuo", "again", { importedFrom: from, createdAt: "2026-01-02T00:00:00.000Z" });
  const own = [again, imported] as OwnRow[];
  expect(namedRows(own, own).map(({ id }) => id)).toEqual(["continuo:again", "codex:native"]);
});

test("a row has its time, branch and real folder, and only the figures that the index has of its own session", async () => {
  const home = scratchFolder("row-info");
  const places = { home, cwd: home, env: {} };
  const locationOf = (sessionId: string): string => join(home, `.claude/projects/-app/${sessionId}.jsonl`);
  mkdirSync(join(home, ".claude/projects/-app"), { recursive: true });
  mkdirSync(join(home, "real"));
  symlinkSync(join(home, "real"), join(home, "link"));
  const facts = { title: null, archived: false, live: false, gitBranch: "main", problems: [] };
  const more = { ...facts, cwd: join(home, "link"), updatedAt: "2026-03-01T10:00:00.000Z" };
  const [unread = "", read = ""] = [1, 2].map((at) => `4bf3c2a1-0000-4000-8000-00000000000${at}`);
  const content = [{ type: "text", text: "Yes." }];
  const lines = [
    { uuid: "u1", parent: null, role: "user", content: "Why?", time: "10:00:00" },
    { uuid: "a1", parent: "u1", role: "assistant", content, time: "10:00:01" },
  ] as const;
  writeFileSync(locationOf(read), claudeText(read, lines));
  // The index knows only files that were written some time ago.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  await usageOfAll({ places });
  const rows: NamedRow[] = [unread, read].map((sessionId) => ({
    row: row("claude", sessionId, { ...more, location: locationOf(sessionId) }) as ListedSession,
    id: `claude:${sessionId}`,
  }));
  const prices = { own: { "model-a": { input: 1_000, output: 0 } }, list: shippedPrices() };
  const infos = await infosOf(rows, { places, prices });
  const known = { agent: "claude", cwd: join(home, "link"), gitBranch: "main", live: false };
  const shown = { cwd: join(home, "real"), updatedAt: "2026-03-01T10:00:00.000Z", archived: false };
  expect(infos).toEqual([
    { sessionId: `claude:${unread}`, ...shown, _meta: { continuo: known } },
    { sessionId: `claude:${read}`, ...shown, _meta: { continuo: { ...known, costUsd: 1 } } },
  ]);
});
