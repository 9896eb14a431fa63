/** The list of sessions over HTTP: pages, filters, changes, and access. */

import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { listAll } from "@continuo/core/model";
import type { MachineSession, SessionsChanged, SessionsPage } from "@continuo/core/wire/machine";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { MACHINE_LIMITS } from "../../packages/server/src/machine/limits.ts";
import { CLAUDE_ID, CODEX_ID, claudeFile, claudeText, createHome, type Home } from "../cli/home.ts";
import { eventsOf, type OpenMachine, openMachine } from "./open-machine.ts";

let machine: OpenMachine;
beforeAll(async () => {
  machine = await openMachine();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

const LIST = "/v1/machine/sessions";

async function listed(query = ""): Promise<SessionsPage> {
  return await machine.json(`${LIST}${query}`);
}

async function idsOf(query: string): Promise<readonly string[]> {
  return (await listed(query)).sessions.map(({ sessionId }) => sessionId);
}

test("the list has every session of every agent, newest first, each with a key", async () => {
  const { sessions, total, nextCursor, agents, projects } = await listed();
  expect(sessions.length).toBe(total);
  expect(nextCursor).toBeNull();
  expect(new Set(sessions.map(({ key }) => key)).size).toBe(total);
  const times = sessions.map(({ updatedAt }) => updatedAt ?? "");
  expect(times).toEqual([...times].sort().reverse());
  expect(sessions.find(({ sessionId }) => sessionId === CLAUDE_ID)).toMatchObject({
    key: `claude:${CLAUDE_ID}`,
    agent: "claude",
    title: "Fix the build",
    cwd: "/home/ann/app",
    gitBranch: "main",
    archived: false,
    trashId: null,
  });
  expect(agents).toContainEqual({ agent: "codex", sessions: 1 });
  expect(projects.map(({ cwd }) => cwd)).toContain("/home/ann/app");
});

test("a chosen agent does not hide the others from those to choose", async () => {
  const all = await listed();
  const chosen = await listed("?agent=codex");
  expect(chosen.total).toBe(1);
  expect(chosen.agents).toEqual(all.agents);
  expect((await listed("?agent=codex&title=build")).agents).toEqual([{ agent: "claude", sessions: 1 }]);
  // A chosen project narrows the list of agents, even while an agent is chosen.
  const inProject = await listed("?project=%2Fhome%2Fann%2Fapp");
  expect(inProject.agents).not.toEqual(all.agents);
  expect((await listed("?project=%2Fhome%2Fann%2Fapp&agent=codex")).agents).toEqual(inProject.agents);
});

test("a chosen project does not hide the others, and a part of a folder's name narrows them", async () => {
  const all = await listed();
  const [first, second] = all.projects.map(({ cwd }) => cwd);
  expect(second).toBeDefined();
  const chosen = await listed(`?project=${encodeURIComponent(first ?? "")}`);
  expect(chosen.total).toBeLessThan(all.total);
  expect(chosen.projects).toEqual(all.projects);
  const named = (await listed("?project=ann%2Fap")).projects;
  expect(named.map(({ cwd }) => cwd)).toEqual(
    all.projects.map(({ cwd }) => cwd).filter((cwd) => cwd.includes("ann/ap")),
  );
});

test("turns, tokens and models of a row follow when its session was read", async () => {
  await using own = await openMachine();
  const row = async (): Promise<MachineSession | undefined> =>
    ((await own.json(`${LIST}?agent=claude&title=build`)) as SessionsPage).sessions[0];
  await expect.poll(row).toMatchObject({
    turns: 2,
    tokens: 3060,
    model: "model-a",
    costUsd: null,
    facts: { lastWords: "Done All well.", changedFiles: 0, branches: 2, isFork: false },
  });
});

test("a page that begins to follow the list after the turns of its rows were counted gets them", async () => {
  await using own = await openMachine();
  const row = async (): Promise<MachineSession | undefined> =>
    ((await own.json(`${LIST}?agent=claude&title=build`)) as SessionsPage).sessions[0];
  expect(await row()).toMatchObject({ turns: null });
  await expect.poll(row).toMatchObject({ turns: 2 });
  const stop = new AbortController();
  const response = await own.get(`${LIST}/events`, undefined, stop.signal);
  for await (const { data } of eventsOf(response)) {
    expect((data as SessionsChanged).sessions).toContainEqual(await row());
    break;
  }
  stop.abort();
});

test("pages of one session each make up the whole list", async () => {
  const whole = await idsOf("");
  const pages = listAll(async (place) => {
    const { sessions: items, nextCursor } = await listed(`?${new URLSearchParams({ limit: "1", ...place })}`);
    return { items, nextCursor };
  });
  expect(await Array.fromAsync(pages, ({ sessionId }) => sessionId)).toEqual(whole);
});

test("a first answer may hold only the newest sessions, and the next one holds all", async () => {
  const home = createHome();
  const { firstSessions } = MACHINE_LIMITS;
  for (let at = 1; at <= firstSessions + 10; at++) write(home, at);
  await using own = await openMachine(home);
  const first: SessionsPage = await own.json(`${LIST}?partial=allow&limit=500`);
  expect(first).toMatchObject({ partial: true, nextCursor: null, agents: [], projects: [] });
  const found = new Set(first.sessions.map(({ sessionId }) => sessionId));
  expect(found.size).toBe(firstSessions);
  expect([found.has(numbered(1)), found.has(numbered(firstSessions + 10))]).toEqual([false, true]);
  const all: SessionsPage = await own.json(`${LIST}?limit=500`);
  expect([all.partial, all.total]).toEqual([undefined, firstSessions + 10]);
  expect(all.sessions).toEqual(expect.arrayContaining([...first.sessions]));
  const next: SessionsPage = await own.json(`${LIST}?partial=allow&limit=500`);
  expect([next.partial, next.total]).toEqual([undefined, all.total]);
});

test("the newest sessions are searched once for all callers that ask before the others are found", async () => {
  const home = createHome();
  write(home, 1);
  await using own = await openMachine(home);
  const ask = (query: string): Promise<SessionsPage> => own.json(`${LIST}${query}`);
  const first = await ask("?partial=allow");
  write(home, 2);
  expect(await ask("?partial=allow")).toEqual(first);
  const all = await ask("");
  expect([first.total, all.total]).toEqual([1, 2]);
});

test("the next page belongs to the list of its cursor, however long a reader waited", async () => {
  const home = createHome();
  for (let at = 1; at <= 3; at++) write(home, at);
  await using own = await openMachine(home);
  const first: SessionsPage = await own.json(`${LIST}?limit=2`);
  write(home, 4);
  const hourLater = performance.now() + 3_600_000;
  const clock = vi.spyOn(performance, "now").mockReturnValue(hourLater);
  try {
    const next: SessionsPage = await own.json(`${LIST}?limit=2&cursor=${first.nextCursor}`);
    const anew: SessionsPage = await own.json(`${LIST}?limit=2`);
    expect([first, next, anew].map(({ total }) => total)).toEqual([3, 3, 4]);
  } finally {
    clock.mockRestore();
  }
});

const numbered = (at: number): string => `4bf3eeee-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** Writes a session. The file that was written last is found first, whatever its times are. */
function write(home: Home, at: number): void {
  const content = `Number ${at}`;
  const line = { uuid: "n1", parent: null, role: "user", content, time: "11:00:00" } as const;
  home.write(claudeFile(numbered(at)), claudeText(numbered(at), [line]));
  utimesSync(join(home.path, claudeFile(numbered(at))), at, at);
}

test("every filter narrows the list", async () => {
  expect(await idsOf("?agent=codex")).toEqual([CODEX_ID]);
  expect(await idsOf("?agent=codex&agent=claude")).toContain(CLAUDE_ID);
  expect(await idsOf("?title=BUILD%20fix&agent=claude")).toEqual([CLAUDE_ID]);
  expect(await idsOf("?project=no-such-folder")).toEqual([]);
  expect(await idsOf("?until=2000-01-01T00:00:00Z")).toEqual([]);
  expect(await idsOf("?since=2000-01-01T00:00:00Z")).toContain(CLAUDE_ID);
});

test("a search of the texts gives the turn that matches", async () => {
  const { sessions } = await listed("?text=build&agent=claude");
  expect(sessions[0]).toMatchObject({ sessionId: CLAUDE_ID, match: { turn: 1, messageId: "u1" } });
  const excerpt = sessions[0]?.match?.excerpt ?? [];
  expect(excerpt.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toContain("build");
});

test.each([
  "?limit=0",
  "?limit=501",
  "?limit=ten",
  "?limit=1&limit=2",
  "?archived=perhaps",
  "?since=yesterday",
  "?agent=../etc",
  "?unknown=1",
  `?title=${"x".repeat(501)}`,
  "?cursor=bm90IGEgY3Vyc29y",
])("a list of %s is refused as invalid", async (query) => {
  const response = await machine.get(`${LIST}${query}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: "invalid" } });
});

test("only a token of this workspace with a scope of the machine sees the list", async () => {
  for (const scopes of [["admin"], ["session:*:read"], ["machine:write"]]) {
    expect((await machine.get(LIST, await machine.token(scopes))).status).toBe(403);
  }
  const other = await machine.token(["machine:read"], "other");
  expect((await machine.get(LIST, other)).status).toBe(403);
  expect((await fetch(`${machine.url}${LIST}`)).status).toBe(401);
  expect((await machine.get(LIST, await machine.token(["machine:read"]))).status).toBe(200);
});

test("a reader that follows the list gets changed rows and removed keys", async () => {
  await using own = await openMachine();
  const events = eventsOf(await own.get(`${LIST}/events`));
  const added = "4bf3ffff-0000-4000-8000-00000000000a";
  const line = { uuid: "n1", parent: null, role: "user", content: "A new one", time: "11:00:00" } as const;
  const text = claudeText(added, [line]);
  const next = async (): Promise<SessionsChanged> => (await events.next()).value?.data as SessionsChanged;
  // The server does not report when it begins to watch the list, so the test changes the file until an event arrives.
  let version = 0;
  const again = setInterval(() => own.home.write(claudeFile(added), text + "\n".repeat(++version)), 200);
  const { sessions } = await next().finally(() => clearInterval(again));
  expect(sessions).toMatchObject([{ sessionId: added, title: "A new one" }]);
  rmSync(join(own.home.path, claudeFile(added)));
  for (let change = await next(); ; change = await next()) {
    if (change.gone.includes(sessions[0]?.key ?? "")) break;
  }
});
