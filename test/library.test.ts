/** The library's entry, on sessions that the real agents wrote. */

import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import * as continuo from "../src/index.ts";
import {
  checkNativeSession,
  listNativeSessions,
  openNativeSession,
  type Places,
  readNativeList,
  readNativeSession,
} from "../src/index.ts";
import { scratchFolder } from "./scratch-folder.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

const home = scratchFolder("library");
let places: Places;

beforeAll(() => {
  places = { home, env: {} };
  for (const name of ["parallel-tools", "branch", "fork", "renamed-and-archived"]) {
    cpSync(join(FIXTURES, "claude", name, "home"), join(home, ".claude"), { recursive: true });
  }
  for (const name of ["paginated", "revert", "archived", "title"]) {
    cpSync(join(FIXTURES, "codex", name, "home"), join(home, ".codex"), { recursive: true });
  }
});

describe("listNativeSessions", () => {
  test("newest first, archived ones left out and counted", async () => {
    const { sessions, total, archivedLeftOut } = await readNativeList({ places });
    const all = await listNativeSessions({ places, archived: "include" });
    const times = sessions.map((session) => session.updatedAt ?? "");
    expect(times).toEqual(times.toSorted().toReversed());
    expect(sessions.length).toBe(total);
    expect(archivedLeftOut).toBeGreaterThan(0);
    expect(all.filter((session) => session.archived)).toHaveLength(archivedLeftOut);
    expect(all.filter((session) => !session.archived)).toEqual(sessions);
    expect(new Set(sessions.map((session) => session.agent))).toEqual(new Set(["claude", "codex"]));
  });

  test("limit, agents, since and cwd narrow it", async () => {
    const all = await listNativeSessions({ places });
    const since = all[1]?.updatedAt ?? "";
    expect(await listNativeSessions({ places, limit: 2 })).toEqual(all.slice(0, 2));
    expect(await listNativeSessions({ places, agents: ["codex"] })).toEqual(
      all.filter((one) => one.agent === "codex"),
    );
    expect(await listNativeSessions({ places, since })).toEqual(
      all.filter((one) => (one.updatedAt ?? "") >= since),
    );
    expect(await listNativeSessions({ places, cwd: "/nowhere" })).toEqual([]);
  });

  test("a thread of several files is one row", async () => {
    const ids = (await listNativeSessions({ places, archived: "include" })).map(
      (one) => `${one.agent}:${one.sessionId}`,
    );
    expect(ids).toEqual([...new Set(ids)]);
  });

  test("a file that cannot be understood is a row with its problem", async () => {
    const id = "99999999-9999-4999-8999-999999999999";
    const path = join(home, ".claude/projects/-home-dev-project", `${id}.jsonl`);
    writeFileSync(path, "\u0000\u0000not a session\n");
    const row = (await listNativeSessions({ places })).find((one) => one.sessionId === id);
    rmSync(path);
    expect(row).toMatchObject({ agent: "claude", location: path, title: null });
    expect(row?.problems).not.toEqual([]);
  });

  test("a machine without agents has an empty list", async () => {
    expect(await listNativeSessions({ places: { home: join(home, "nobody"), env: {} } })).toEqual([]);
  });
});

describe("a session is found", () => {
  test("by a row of the list, its id, agent:id, the beginning of it, or its path", async () => {
    for (const row of await listNativeSessions({ places, archived: "include" })) {
      const expected = await readNativeSession(row, { places });
      expect(expected.messages.length).toBeGreaterThan(0);
      for (const ref of [row.sessionId, `${row.agent}:${row.sessionId}`, row.location]) {
        expect(await readNativeSession(ref, { places })).toEqual(expected);
      }
    }
  });

  test.each([
    ["", "not_found"],
    ["no-such-session", "not_found"],
    ["claude:no-such-session", "not_found"],
    ["./no/such/file.jsonl", "not_found"],
    [join(FIXTURES, "claude/branch/README.md"), "unsupported"],
  ])("%j is %s", async (ref, code) => {
    await expect(openNativeSession(ref, { places })).rejects.toMatchObject({ code });
  });

  test("a name of several sessions is an error that lists them", async () => {
    const ids = (await listNativeSessions({ places, agents: ["codex"] })).map((one) => one.sessionId);
    const shared = ids[0]?.slice(0, 2) ?? "";
    await expect(openNativeSession(`codex:${shared}`, { places })).rejects.toMatchObject({
      code: "ambiguous",
      details: { matches: expect.arrayContaining([expect.objectContaining({ agent: "codex" })]) },
    });
  });
});

test("a leaf names a branch, and an unknown one is not found", async () => {
  const [row] = await listNativeSessions({ places, agents: ["claude"] }).then((rows) =>
    rows.filter((one) => one.title !== null),
  );
  if (row === undefined) throw new Error("no session");
  using session = await openNativeSession(row, { places });
  const [active] = session.leaves;
  const byDefault = await Array.fromAsync(session.history());
  expect(await Array.fromAsync(session.history({ leaf: active?.id ?? "" }))).toEqual(byDefault);
  await expect(Array.fromAsync(session.history({ leaf: "no-such-leaf" }))).rejects.toMatchObject({
    code: "not_found",
  });
});

test("every example that an agent wrote checks without damage", async () => {
  for (const row of await listNativeSessions({ places, archived: "include" })) {
    const { problems } = await checkNativeSession(row, { places });
    expect(problems.filter((one) => one.code !== "expires_soon")).toEqual([]);
  }
});

describe("former names", () => {
  test("are the names that they point to", () => {
    const { findSessions, listAllSessions, listSessions, sessions, ...now } = continuo;
    expect([findSessions, listAllSessions, listSessions, sessions]).toEqual([
      now.findNativeSessions,
      now.listAgentSessions,
      now.readNativeList,
      now.sessionsOfAgent,
    ]);
    expectTypeOf<continuo.Masked<string>>().toEqualTypeOf<continuo.MaskedValue<string>>();
    expectTypeOf<continuo.Omitted>().toEqualTypeOf<continuo.ContextPlan["omitted"]>();
    expectTypeOf<continuo.SecretsFound>().toEqualTypeOf<continuo.SecretCounts>();
    expectTypeOf<continuo.AgentSession>().toExtend<Pick<continuo.ReportedSession, "sessionId">>();
  });

  test("stand in one file, and each says which public name replaces it", () => {
    const root = join(import.meta.dirname, "..");
    const sources = ["src", "packages"].flatMap((folder) =>
      globSync(`${folder}/**/*.ts`, { cwd: root, exclude: (path) => /node_modules|dist/u.test(path) }),
    );
    const former = sources.filter((path) => readFileSync(join(root, path), "utf8").includes("@deprecated"));
    expect(former).toEqual(["src/former-names/index.ts"]);
    const text = readFileSync(join(root, former[0] ?? ""), "utf8");
    const pointed = [...text.matchAll(/@deprecated since \d+\.\d+: \{@link (\w+)\}/gu)].map(
      ([, name]) => name,
    );
    const names = [...text.matchAll(/^export (?:const|type) (\w+)/gmu)].map(([, name]) => name);
    expect(pointed).toHaveLength(names.length);
    const entry = readFileSync(join(root, "src/index.ts"), "utf8");
    expect(pointed.filter((name) => !new RegExp(`\\b${name},`, "u").test(entry))).toEqual([]);
  });
});

test("an aborted signal ends the work", async () => {
  const signal = AbortSignal.abort();
  await expect(listNativeSessions({ places, signal })).rejects.toThrow();
});
