/** These tests cover the manifests that are read, and the name of a deletion. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { findManifest, listTrash, type Manifest, readManifest, trashFolder } from "./manifest.ts";

let home: string;
let places: Places;
beforeEach(() => {
  home = scratchFolder("manifest");
  places = { home, env: {} };
});

const INFO: Manifest["info"] = {
  agent: "claude",
  sessionId: "Abc-1",
  title: null,
  cwd: null,
  updatedAt: null,
  sizeBytes: 1,
  location: "/a",
};
const KEPT = { from: "/a", to: "files/0", sizeBytes: 1, mtimeMs: 1, sha256: "0" };
const FILES = {
  type: "files",
  paths: ["/a"],
  indexLines: [{ path: "/index", lines: ["{}"] }],
  forks: [],
} as const;
const ROWS = {
  type: "rows",
  database: "/db",
  tables: [{ name: "part", column: "id", values: ["a"] }],
  forks: [],
} as const;
const MANIFEST: Manifest = {
  version: 1,
  trashId: "1-claude-Abc-1",
  trashedAt: "2026-11-21T20:00:00.000Z",
  info: INFO,
  plan: FILES,
  files: [KEPT],
};

function read(value: unknown): Manifest | null {
  const path = join(home, "manifest.json");
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return readManifest(path);
}

test.each<[string, Manifest]>([
  ["files", MANIFEST],
  ["files of which none is left", { ...MANIFEST, files: [], plan: { ...FILES, paths: [], indexLines: [] } }],
  ["rows", { ...MANIFEST, plan: ROWS, files: [] }],
  ["rows that were replaced", { ...MANIFEST, plan: ROWS, files: [], replacement: "rows" }],
])("a manifest of %s is read as it was written", (_name, manifest) => {
  expect(read(manifest)).toEqual(manifest);
});

test.each<[string, object]>([
  ["an id of its own that is no text", { trashId: 1 }],
  ["a time that is no text", { trashedAt: null }],
  ["facts that are a list", { info: [INFO] }],
  ["an agent that is no text", { info: { ...INFO, agent: null } }],
  ["an id of a session that is no text", { info: { ...INFO, sessionId: 1 } }],
  ["a location that is no text", { info: { ...INFO, location: undefined } }],
  ["files that are no list", { files: { 0: KEPT } }],
  ["a file that is none", { files: [KEPT, "/a"] }],
  ["a file from a relative place", { files: [{ ...KEPT, from: "a" }] }],
  ["a file from nowhere", { files: [{ ...KEPT, from: 1 }] }],
  ["a file without a name in the trash", { files: [{ ...KEPT, to: 0 }] }],
  ["a file elsewhere", { files: [{ ...KEPT, to: "files/../../0" }] }],
  ["a file below another folder", { files: [{ ...KEPT, to: "a/files/0" }] }],
  ["a file that has no number", { files: [{ ...KEPT, to: "files/" }] }],
  ["a file below a file", { files: [{ ...KEPT, to: "files/0/a" }] }],
  ["a file without a hash", { files: [{ ...KEPT, sha256: null }] }],
  ["no plan", { plan: undefined }],
  ["an unknown plan", { plan: { ...FILES, type: "folders" } }],
  ["a plan whose forks are no list", { plan: { ...FILES, forks: "a" } }],
  ["a plan with a fork that is no text", { plan: { ...FILES, forks: [1] } }],
  ["a plan without paths", { plan: { ...FILES, paths: undefined } }],
  ["a plan with a path that is no text", { plan: { ...FILES, paths: [null] } }],
  ["a plan without lines of an index", { plan: { ...FILES, indexLines: {} } }],
  ["lines of no index", { plan: { ...FILES, indexLines: [{ lines: [] }] } }],
  ["an index whose lines are none", { plan: { ...FILES, indexLines: [{ path: "/index", lines: [1] }] } }],
  ["an index that is none", { plan: { ...FILES, indexLines: [null] } }],
  ["rows without a database", { plan: { ...ROWS, database: 1 } }],
  ["rows without tables", { plan: { ...ROWS, tables: null } }],
  ["a table that is none", { plan: { ...ROWS, tables: ["part"] } }],
  ["a table without a name", { plan: { ...ROWS, tables: [{ column: "id", values: [] }] } }],
  ["a table without a column", { plan: { ...ROWS, tables: [{ name: "part", values: [] }] } }],
  [
    "a table with a value that is no text",
    { plan: { ...ROWS, tables: [{ ...ROWS.tables[0], values: [1] }] } },
  ],
])("a manifest with %s is not read", (_name, change) => {
  expect(read({ ...MANIFEST, ...change })).toBe(null);
});

test("a file that is not a manifest is not read", () => {
  expect([read("{"), read([MANIFEST]), readManifest(join(home, "missing"))]).toEqual([null, null, null]);
});

function leave(trashId: string, manifest: Partial<Manifest> = {}, folder = trashId): void {
  mkdirSync(join(trashFolder(places), folder), { recursive: true });
  writeFileSync(
    join(trashFolder(places), folder, "manifest.json"),
    JSON.stringify({ ...MANIFEST, trashId, ...manifest }),
  );
}

describe("a deletion is found", () => {
  beforeEach(() => {
    leave("1", { trashedAt: "2026-11-21T20:00:00.001Z" });
    leave("2", { trashedAt: "2026-11-21T20:00:00.003Z" });
    leave("3", { trashedAt: "2026-11-21T20:00:00.002Z", info: { ...INFO, agent: "pi", sessionId: "abd" } });
  });

  test.each([
    ["1", "1"],
    ["abc-1", "2"],
    ["ABC", "2"],
    ["claude:a", "2"],
    ["Claude:ABC-1", "2"],
    ["pi:", "3"],
    ["abd", "3"],
  ])("by the name %s, and the newest of several", (name, trashId) => {
    expect(findManifest(name, places).trashId).toBe(trashId);
  });

  test.each(["", "bc", "abc-12", "claude:abd", "4"])("not by the name %j", (name) => {
    expect(() => findManifest(name, places)).toThrow(
      expect.objectContaining({
        code: "not_found",
        message: `there is no session ${JSON.stringify(name)} in the trash`,
        hint: "Run `continuo session trash` to see the sessions in the trash.",
      }),
    );
  });

  test("not by a name of several sessions, which are listed", () => {
    expect(() => findManifest("ab", places)).toThrow(
      expect.objectContaining({
        code: "ambiguous",
        message: '"ab" names 2 sessions in the trash',
        hint: "Give more of the id, or AGENT:ID.",
        details: {
          matches: [
            { trashId: "2", ...INFO },
            { trashId: "3", ...INFO, agent: "pi", sessionId: "abd" },
            { trashId: "1", ...INFO },
          ],
        },
      }),
    );
  });
});

test("an exact id has priority over longer ids, and the beginning of an agent's name names none of its sessions", () => {
  leave("1");
  leave("2", { info: { ...INFO, sessionId: `${INFO.sessionId}-2` } });
  leave("1-2", { info: { ...INFO, sessionId: "other" } });
  const name = INFO.sessionId.toUpperCase();
  expect([name, `claude:${name}`, "1"].map((id) => findManifest(id, places).trashId)).toEqual([
    "1",
    "1",
    "1",
  ]);
  expect(findManifest(`${name}-`, places).trashId).toBe("2");
  expect(() => findManifest("c", places)).toThrow(expect.objectContaining({ code: "not_found" }));
});

test("hidden folders and folders without a manifest are not deletions, and a folder with another name is a problem", () => {
  expect(listTrash(places)).toEqual({ sessions: [], problems: [] });
  leave("1");
  leave(".gone-2");
  leave("3", {}, "4");
  mkdirSync(join(trashFolder(places), "5"));
  expect(listTrash(places)).toEqual({
    sessions: [{ trashId: "1", trashedAt: MANIFEST.trashedAt, info: INFO }],
    problems: [
      {
        code: "unreadable",
        line: null,
        message: `${join(trashFolder(places), "4", "manifest.json")} is not a manifest that Continuo wrote`,
      },
    ],
  });
});
