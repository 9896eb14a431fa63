import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import {
  folderFilter,
  hasNoUserMessage,
  type RowOrder,
  type RowQuery,
  toOrder,
  toRowFilter,
} from "./list-filter.ts";
import type { ListedSession } from "./rows.ts";

function row(sessionId: string, more: Partial<ListedSession> = {}): ListedSession {
  const times = { createdAt: null, updatedAt: null, sizeBytes: null };
  const about = { title: null, cwd: null, gitBranch: null, archived: false, live: null, problems: [] };
  return { agent: "pi", sessionId, location: "", ...about, ...times, ...more };
}

function passing(query: RowQuery, rows: readonly ListedSession[]): readonly string[] {
  return rows.filter((one) => toRowFilter(query)?.(one) ?? true).map(({ sessionId }) => sessionId);
}

test("a title passes with all of the words in any order, in upper or lower case", () => {
  const rows = [row("a", { title: "Fix the parser" }), row("b", { title: "Fix tests" }), row("c")];
  expect(passing({ title: "PARSER fix" }, rows)).toEqual(["a"]);
  expect(passing({ title: "fix" }, rows)).toEqual(["a", "b"]);
});

test("a folder contains the sessions in it and below it, by any name of the folder, but not those of a folder with a similar beginning", () => {
  const top = scratchFolder("filter");
  for (const name of ["app/src", "app2"]) mkdirSync(join(top, name), { recursive: true });
  symlinkSync(join(top, "app"), join(top, "link"));
  const names = ["app", "app/src", "app2", ".", "link"];
  const rows = names.map((name, at) => row(String(at), { cwd: join(top, name) }));
  expect(passing({ below: join(top, "app") }, [...rows, row("none")])).toEqual(["0", "1", "4"]);
  expect(passing({ below: "/" }, rows)).toEqual(["0", "1", "2", "3", "4"]);
});

test("a list ends before its time, and rows without a value pass no filter for it", () => {
  const rows = [row("a", { updatedAt: "2026-01-01" }), row("b", { updatedAt: "2026-01-02" }), row("c")];
  expect(passing({ until: "2026-01-02" }, rows)).toEqual(["a"]);
  const more = [row("d", { cwd: "/Work/App", gitBranch: "fix/One" }), row("e")];
  expect(passing({ project: "app" }, more)).toEqual(["d"]);
  expect(passing({ branch: "ONE" }, more)).toEqual(["d"]);
  expect(toRowFilter({})).toBe(null);
});

test("times and sizes are sorted from the greatest, texts from the first, and rows without a value come last", () => {
  const sorted = (order: RowOrder, values: readonly Partial<ListedSession>[]): string =>
    values
      .map((more, at) => row(String(at), more))
      .sort(toOrder(order))
      .map(({ sessionId }) => sessionId)
      .join("");
  expect(sorted("size", [{ sizeBytes: 1 }, {}, { sizeBytes: 3 }])).toBe("201");
  expect(sorted("updated", [{ updatedAt: "1" }, { updatedAt: "2" }, {}])).toBe("102");
  expect(sorted("created", [{}, { createdAt: "1" }])).toBe("10");
  expect(sorted("title", [{ title: "b" }, {}, { title: "A" }, { title: "a" }])).toBe("2301");
  expect(sorted("project", [{ cwd: "/b" }, { cwd: "/A" }, {}])).toBe("102");
  expect(sorted("agent", [{ agent: "pi" }, { agent: "codex" }])).toBe("10");
});

test("an own session without a title counts as one without messages", () => {
  expect(hasNoUserMessage(row("a", { agent: "continuo" }))).toBe(true);
  expect(hasNoUserMessage(row("a", { agent: "continuo", title: "T" }))).toBe(false);
  expect(hasNoUserMessage(row("a", { sizeBytes: null }))).toBe(false);
});

test("a folder that is gone belongs to a project with the same remote, and without a remote only to one with the same first commit", () => {
  const top = scratchFolder("filter");
  const at = (name: string): string => join(top, name);
  for (const name of ["bare", "shared"]) mkdirSync(at(`${name}/.git`), { recursive: true });
  for (const name of ["bare", "shared"]) writeFileSync(at(`${name}/.git/HEAD`), "ref: refs/heads/main\n");
  writeFileSync(at("shared/.git/config"), '[remote "origin"]\n\turl = https://example.com/ann/app.git\n');
  const remote = "example.com/ann/app";
  const mark = (name: string, more: { readonly remote?: string; readonly root?: string }) =>
    [at(name), { worktree: at(name), remote: null, root: null, ...more }] as const;
  const marks = new Map([
    mark("bare", { root: "c1" }),
    mark("same root", { root: "c1" }),
    mark("other root", { root: "c2" }),
    mark("no commit", {}),
    mark("same remote", { remote, root: "c1" }),
    mark("other remote", { remote: "example.com/ann/other", root: "c1" }),
  ]);
  const rows = [...marks.keys(), at("unmarked")].map((cwd) => row(relative(top, cwd), { cwd }));
  const ofProject = (name: string): readonly string[] =>
    rows
      .filter((one) => toRowFilter({ ofProject: at(name) }, marks)?.(one))
      .map(({ sessionId }) => sessionId);
  expect(ofProject("bare")).toEqual(["bare", "same root"]);
  expect(ofProject("shared")).toEqual(["same remote"]);
});

test("pins and tags narrow a list only if they are asked for, and a session has each of several tags", () => {
  const marked = (pinned: boolean, ...tags: readonly string[]) => ({ marks: { pinned, tags } });
  const rows = [row("a", marked(true, "tea", "later")), row("b", marked(false, "tea")), row("c")];
  expect(passing({ pinned: true }, rows)).toEqual(["a"]);
  expect(passing({ pinned: false, tags: [] }, rows)).toEqual(["a", "b", "c"]);
  expect(passing({ tags: ["tea"] }, rows)).toEqual(["a", "b"]);
  expect(passing({ tags: ["tea", "later"] }, rows)).toEqual(["a"]);
});

test("a folder without those below it has only its own sessions", () => {
  const rows = ["/app", "/app/src", "/app2"].map((cwd) => row(cwd, { cwd }));
  expect(rows.filter(folderFilter("/app")).map((one) => one.cwd)).toEqual(["/app"]);
});

test("two repositories without a remote are two projects", () => {
  const top = scratchFolder("filter");
  const rows = ["one", "two"].map((name) => {
    const cwd = join(top, name);
    mkdirSync(join(cwd, ".git"), { recursive: true });
    writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/main\n");
    return row(name, { cwd });
  });
  expect(passing({ ofProject: join(top, "one") }, rows)).toEqual(["one"]);
});
