import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentDriver, ContinuoError, present } from "@continuo/core/model";
import { type PlacesAt, placesOf } from "@continuo/files";
import { runGuard } from "@continuo/native/editing/guard";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { type ListQuery, listCatalog } from "./list.ts";
import { locateRow, lookUp } from "./look-up.ts";
import { markArchived } from "./marks.ts";
import { deleteOwn, forkOwn } from "./own-changes.ts";
import { existingStoreUrl, listOwn, readOwn, storeUrlOf } from "./store.ts";

const ID = "abcdefab-1111-4111-8111-111111111111";
let store: OpenedStore;
let places: PlacesAt;

beforeEach(async () => {
  const home = scratchFolder("look-up");
  places = { home, cwd: home, env: {} };
  store = await openStore("memory:");
});
afterEach(async () => {
  await store.close();
});

function writeClaude(sessionId: string, { day = "06", cwd = "/app" } = {}): void {
  const folder = join(places.home, ".claude/projects/-app");
  mkdirSync(folder, { recursive: true });
  const about = {
    sessionId,
    cwd,
    timestamp: `2025-01-${day}T08:00:00.000Z`,
    version: "2.1.0",
    isSidechain: false,
  };
  const message = { role: "user", content: `said in ${sessionId}` };
  const record = {
    type: "user",
    uuid: `u-${sessionId}`,
    parentUuid: null,
    userType: "external",
    ...about,
    message,
  };
  writeFileSync(join(folder, `${sessionId}.jsonl`), `${JSON.stringify(record)}\n`);
}

async function createOwn(
  sessionId: string,
  refs: Readonly<Record<string, object>> = {},
  cwd = "/app",
): Promise<void> {
  await store.createSession({ sessionId, cwd, metadata: { providerSessions: refs } });
  const data = { content: `said in ${sessionId}` };
  await store.append(sessionId, [{ type: "message_sent", actor: { kind: "person" }, data }]);
}

async function found(name: string): Promise<string> {
  const hit = await lookUp(name, { places, store: readOwn(store), examples: "without examples" });
  return hit.kind === "own" ? `own ${hit.row.sessionId}` : `native ${hit.native.found.sessionId}`;
}

async function listed(query: ListQuery = {}): Promise<readonly string[]> {
  return (await listCatalog(query, { places, store: readOwn(store) })).sessions.map(
    ({ sessionId }) => sessionId,
  );
}

test("an exact id is preferred to longer ids that begin with it, in upper and in lower case", async () => {
  writeClaude(ID);
  await createOwn(`${ID}-more`);
  expect([await found(ID), await found(ID.toUpperCase())]).toEqual([`native ${ID}`, `native ${ID}`]);
  expect(await found(`${ID}-m`)).toBe(`own ${ID}-more`);
  await createOwn("own");
  await createOwn("own-longer");
  expect([await found("own"), await found("continuo:own")]).toEqual(["own own", "own own"]);
});

test("a beginning that fits several ids is refused, with their number", async () => {
  for (const sessionId of ["aa1", "aa2", "aa3"]) await createOwn(sessionId);
  await expect(found("aa")).rejects.toMatchObject({ code: "ambiguous", details: { count: 3 } });
  await expect(found("bb")).rejects.toMatchObject({ code: "not_found" });
});

test("a conversation that is native and Continuo's own is found and listed once, as its own", async () => {
  writeClaude(ID, { day: "09" });
  await createOwn("abcdefab-own", { claude: { sessionId: ID } });
  expect(await found("abcdefab")).toBe("own abcdefab-own");
  expect(await listed()).toEqual(["abcdefab-own"]);
  expect(await listed({ agents: ["claude"] })).toEqual(["abcdefab-own"]);
  expect(await listed({ agents: ["codex"] })).toEqual([]);
});

test("after an agent's file is gone, its name for a conversation leads to the session that continues it", async () => {
  writeClaude(ID);
  await createOwn("present", { claude: { sessionId: ID } });
  expect(await found(`claude:${ID}`)).toBe(`native ${ID}`);
  rmSync(join(places.home, `.claude/projects/-app/${ID}.jsonl`));
  expect(await found(`claude:${ID}`)).toBe("own present");
  await expect(found(`codex:${ID}`)).rejects.toMatchObject({ code: "not_found" });
});

test("`last` is the newest session, and `last:AGENT` the newest of this agent", async () => {
  writeClaude(ID);
  writeClaude(ID.replaceAll("1", "2"), { day: "05" });
  await createOwn("own");
  expect([await found("last"), await found("last:claude")]).toEqual(["own own", `native ${ID}`]);
  await expect(found("last:codex")).rejects.toMatchObject({ code: "not_found" });
});

test("filter and order apply to all sessions before the limit does", async () => {
  for (const [at, day] of ["05", "06", "07"].entries())
    writeClaude(ID.replaceAll("1", String(at + 1)), { day });
  const [first, second, third] = [1, 2, 3].map((n) => ID.replaceAll("1", String(n)));
  expect(await listed({ limit: 1 })).toEqual([third]);
  expect(await listed({ limit: 1, title: `${first}` })).toEqual([first]);
  expect(await listed({ limit: 2, sort: "title" })).toEqual([first, second]);
});

test("own sessions are filtered by their folder and their time, and have the first words as their title", async () => {
  await createOwn("alpha");
  await createOwn("omega", {}, "/other");
  const own = { agents: ["continuo"] };
  expect(await listed({ ...own, cwd: "/other" })).toEqual(["omega"]);
  expect(await listed({ ...own, since: "2999-01-01T00:00:00.000Z" })).toEqual([]);
  expect(await listed({ ...own, title: "alpha said" })).toEqual(["alpha"]);
});

test("sessions in which nobody said anything are left out, and counted", async () => {
  await createOwn("said");
  await store.createSession({ sessionId: "empty" });
  const looking = { places, store: readOwn(store) };
  const { sessions, emptyLeftOut, total } = await listCatalog({ empty: "exclude" }, looking);
  expect([sessions.map(({ sessionId }) => sessionId), emptyLeftOut, total]).toEqual([["said"], 1, 1]);
});

test("empty sessions are listed unless they are filtered out", async () => {
  await createOwn("said");
  await store.createSession({ sessionId: "empty" });
  expect((await listed()).toSorted()).toEqual(["empty", "said"]);
});

test("sessions that were archived here are counted beyond the limit too, if they have the time that is asked for", async () => {
  const ids = ["1", "2", "3", "4", "5"].map((n) => ID.replaceAll("1", n));
  for (const [at, id] of ids.entries()) writeClaude(id, { day: `0${9 - at}` });
  for (const sessionId of ids.slice(3)) await markArchived({ agent: "claude", sessionId }, true, { places });
  const looking = { places, store: readOwn(store) };
  const first = await listCatalog({ limit: 1 }, looking);
  expect([first.sessions.length, first.total, first.archivedLeftOut]).toEqual([1, 3, 2]);
  const later = await listCatalog({ limit: 1, since: "2025-01-06" }, looking);
  expect([later.sessions.length, later.total, later.archivedLeftOut]).toEqual([1, 3, 1]);
  const all = await listCatalog({ limit: 1, archived: "include" }, looking);
  expect([all.total, all.archivedLeftOut]).toEqual([5, 0]);
});

test("a session that was archived here does not use up the limit of a list", async () => {
  const ids = ["1", "2", "3"].map((n) => ID.replaceAll("1", n));
  for (const [at, id] of ids.entries()) writeClaude(id, { day: `0${9 - at}` });
  const [newest = ""] = ids;
  await markArchived({ agent: "claude", sessionId: newest }, true, { places });
  expect(await listed({ limit: 2 })).toEqual(ids.slice(1));
  expect(await listed({ limit: 2, archived: "include" })).toEqual(ids.slice(0, 2));
});

test("an agent of the configuration is asked for its sessions; if it has no list, a session of any id is assumed to exist", async () => {
  const about = { cwd: "/app", title: null, updatedAt: null };
  const items = ["other-1", "other-12", "more-3"].map((sessionId) => ({ sessionId, ...about }));
  const driverWith = (listSessions: () => Promise<unknown>) =>
    ({ agent: "other", listSessions }) as unknown as AgentDriver;
  const told = async (name: string, driver: AgentDriver): Promise<string> => {
    const asking = {
      named: async (agent: string) => (agent === driver.agent ? driver : null),
      lister: async () => driver,
    };
    const hit = await lookUp(name, { places, store: null, examples: "without examples", asking });
    return hit.kind === "told" ? hit.told.sessionId : hit.kind;
  };
  const listing = driverWith(async () => ({ items, nextCursor: null }));
  expect([await told("other:mo", listing), await told("other-1", listing)]).toEqual(["more-3", "other-1"]);
  await expect(told("other:other", listing)).rejects.toMatchObject({ code: "ambiguous" });
  const silent = driverWith(() => Promise.reject(new ContinuoError("unsupported", "there is no list")));
  expect(await told("other:xyz", silent)).toBe("xyz");
});

test.each([
  ["cladue:abc", "Did you mean claude:abc?"],
  ["claude:abc", "Run `continuo session list --all --archived` to see every session."],
])("the hint for %s, which is not there, is: %s", async (name, hint) => {
  await expect(found(name)).rejects.toMatchObject({ code: "not_found", hint });
});

test("a list reports the agents that could not list their sessions", async () => {
  const error = new ContinuoError("agent_failed", "it fell over");
  const driver = { agent: "other", listSessions: () => Promise.reject(error) } as unknown as AgentDriver;
  const { failures } = await listCatalog({ drivers: [driver] }, { places, store: null });
  expect(failures).toEqual([{ agent: "other", error }]);
});

test("a store that cannot be read is reported, and native sessions are still listed", async () => {
  writeClaude(ID);
  mkdirSync(join(places.home, ".continuo"));
  writeFileSync(
    join(places.home, ".continuo/continuo.db"),
    "no database, but long enough to be read as one ".repeat(40),
  );
  const { sessions, error } = await listCatalog({}, { places });
  expect([sessions.length, error === null]).toEqual([1, false]);
});

test("a flag has priority over the variable, an empty variable means the usual store, and a look-up creates no store", () => {
  const url = (value: string | undefined, flag?: string): string =>
    storeUrlOf({ ...places, env: value === undefined ? {} : { CONTINUO_STORE: value } }, flag);
  const usual = `sqlite:${join(places.home, ".continuo/continuo.db")}`;
  expect([url(undefined), url(""), url("sqlite:/b.db")]).toEqual([usual, usual, "sqlite:/b.db"]);
  expect(url("sqlite:/b.db", "sqlite:/a.db")).toBe("sqlite:/a.db");
  expect(existingStoreUrl(places)).toBe(null);
});

test("a fork ends at the message that was named", async () => {
  await createOwn("own");
  await store.append("own", [{ type: "message_sent", actor: { kind: "person" }, data: { content: "more" } }]);
  const [row] = await listOwn(readOwn(store));
  const first = (await store.read("own", { types: ["message_sent"] })).events[0]?.id ?? "";
  const { session, messages } = await forkOwn(row ?? { sessionId: "" }, readOwn(store), first);
  expect([
    messages,
    (await store.read(session.sessionId, { types: ["message_sent"] })).events.length,
  ]).toEqual([1, 1]);
  await expect(forkOwn({ sessionId: "own" }, readOwn(store), "none")).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a fork that would cut through a message leaves no session", async () => {
  await createOwn("own");
  const said = (delta: string) => ({ type: "message_streamed", data: { messageId: "answer", delta } });
  const sent = { type: "message_sent", actor: { kind: "person" } as const, data: { content: "wait" } };
  // The person wrote while the answer was written.
  await store.append("own", [said("one "), sent, said("two")]);
  const own = readOwn(store);
  await expect(forkOwn({ sessionId: "own" }, own, "answer")).rejects.toMatchObject({ code: "invalid" });
  expect((await listOwn(own)).map(({ sessionId }) => sessionId)).toEqual(["own"]);
});

test("the run of a prompt names where a fork ends, and a text that an application added to the run does not end it", async () => {
  await createOwn("own");
  const sent = (content: string, origin?: string) => ({
    type: "message_sent",
    runId: "run-1",
    actor: { kind: "person" } as const,
    data: present({ content, origin }),
  });
  await store.append("own", [sent("It rains.", "injected"), sent("why?"), sent("and how?")]);
  const { session } = await forkOwn({ sessionId: "own" }, readOwn(store), "run-1");
  const said = (await store.read(session.sessionId, { types: ["message_sent"] })).events;
  expect(said.slice(-2).map(({ data }) => data)).toMatchObject([
    { content: "It rains." },
    { content: "why?" },
  ]);
});

test("a session from which others continue, or that is run, is not deleted", async () => {
  await createOwn("own");
  const [row] = await listOwn(readOwn(store));
  if (row === undefined) throw new Error("the session is listed");
  const { session } = await forkOwn(row, readOwn(store));
  await expect(deleteOwn(row, readOwn(store))).rejects.toMatchObject({ code: "has_forks" });
  await store.deleteSession(session.sessionId, { reason: "no longer wanted" });
  const lease = await store.acquireLease("session/own", { owner: "elsewhere", ttlMs: 60_000 });
  await expect(deleteOwn(row, readOwn(store))).rejects.toMatchObject({ code: "session_live" });
  await store.releaseLease(lease);
  await deleteOwn(row, readOwn(store));
  expect(await store.getSession("own")).toBe(null);
});

test("the row of a session that its agent deleted opens the guard's copy", async () => {
  writeClaude(ID);
  const [row] = (await listCatalog({}, { places, store: null })).sessions;
  if (row === undefined) throw new Error("the session is not listed");
  expect(await locateRow(row, places)).toMatchObject({ native: { copyOf: null } });
  await runGuard({ places: placesOf(places) });
  rmSync(row.location);
  expect(await locateRow(row, places)).toMatchObject({
    kind: "native",
    native: { copyOf: { sessionId: ID } },
  });
});

test("the filters of a list apply to the guard's copies too", async () => {
  writeClaude(ID);
  const [row] = (await listCatalog({}, { places, store: null })).sessions;
  await runGuard({ places: placesOf(places) });
  rmSync(row?.location ?? "");
  expect(await listed({ agents: ["claude"], cwd: "/app", since: "2025-01-06" })).toEqual([ID]);
  expect(await listed({ since: "2025-01-07" })).toEqual([]);
  expect(await listed({ cwd: "/other" })).toEqual([]);
  expect(await listed({ agents: ["codex"] })).toEqual([]);
  await createOwn("own", { claude: { sessionId: ID } });
  expect(await listed()).toEqual(["own"]);
});

test("a store that cannot be read hides no native session, and otherwise the look-up reports it", async () => {
  writeClaude(ID);
  const error = new ContinuoError("unavailable", "the disk is full");
  const broken = { getSession: () => Promise.reject(error) } as unknown as OpenedStore;
  const looking = { places, store: readOwn(broken), examples: "without examples" } as const;
  expect(await lookUp(ID.slice(0, 8), looking)).toMatchObject({ kind: "native" });
  await expect(lookUp("unknown", looking)).rejects.toBe(error);
});
