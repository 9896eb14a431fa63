/** Continuo's own sessions in the trash, where an editor or the viewer put them, as the commands show them. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { listOwn, openOwn, trashOwn } from "@continuo/agents/catalog";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { CLAUDE_ID, cleanEnv, createHome, HOSTILE_ID, type Home, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

const ID = "01888888-0000-7000-8000-000000000002";
const FORK = "01888888-0000-7000-8000-000000000003";

async function trash(home: Home, sessionId: string): Promise<void> {
  const places = { home: home.path, env: cleanEnv(home.path) };
  await using own = await openOwn({ ...places, cwd: home.path });
  const row = own === null ? undefined : (await listOwn(own)).find((one) => one.sessionId === sessionId);
  if (own === null || row === undefined) throw new Error("the session is in the list");
  await trashOwn(row, own, { places });
}

async function listed(home: Home): Promise<readonly string[]> {
  const { stdout } = await runHere(home, ["session", "list", "--json"]);
  return (JSON.parse(stdout) as { readonly sessionId: string }[]).map(({ sessionId }) => sessionId);
}

test("a session of Continuo's in the trash is in no list, is restored by its id, and is deleted with the trash", async () => {
  using home = createHome();
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  await store.createSession({ sessionId: ID, title: "Mine" });
  await store.append(ID, [{ type: "message_sent", data: { content: "Why?" } }]);
  await trash(home, ID);
  expect(await listed(home)).toEqual([]);
  expect((await runHere(home, ["session", "show", ID])).code).toBe(3);
  const { stdout } = await runHere(home, ["session", "trash", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ agent: "continuo", sessionId: ID, title: "Mine" }]);
  expect((await runHere(home, ["session", "trash"])).stdout).toContain("Mine");
  const restored = await runHere(home, ["session", "restore", ID.slice(0, 13)]);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining(`continuo:${ID}  Mine`) });
  expect(await listed(home)).toEqual([ID]);
  expect((await runHere(home, ["session", "show", ID])).stdout).toContain("Why?");
  await trash(home, ID);
  const young = ["session", "trash", "--empty", "--older-than", "1", "--yes"];
  expect((await runHere(home, young)).stdout).toBe("0 sessions deleted for good\n");
  const emptied = await runHere(home, ["session", "trash", "--empty", "--yes"]);
  expect(emptied.stdout).toBe("1 session deleted for good\n");
  expect(await store.getSession(ID)).toBeNull();
});

test("a session in the trash stays as long as a session outside of it continues from it", async () => {
  using home = createHome();
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  await store.createSession({ sessionId: ID });
  const [first] = await store.append(ID, [{ type: "message_sent", data: { content: "Why?" } }]);
  const forkedFrom = { logId: ID, sequence: first?.sequence ?? 1 };
  await store.createSession({ sessionId: FORK, forkedFrom });
  await trash(home, ID);
  const empty = ["session", "trash", "--empty", "--yes"];
  const kept = await runHere(home, empty);
  expect(kept.stdout).toBe("0 sessions deleted for good\n");
  expect(kept.stderr).toContain(`continuo:${ID} stays in the trash: another session continues from it`);
  expect(await store.getSession(ID)).not.toBeNull();
  await trash(home, FORK);
  expect((await runHere(home, empty)).stdout).toBe("2 sessions deleted for good\n");
});

test("an exact id restores a session of Continuo's, and the beginning of several ids lists all of them", async () => {
  using home = createHome();
  writeSessions(home);
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  for (const sessionId of ["demo", "demo-2"]) {
    await store.createSession({ sessionId });
    await trash(home, sessionId);
  }
  await runHere(home, ["session", "delete", CLAUDE_ID]);
  const year = String(new Date().getUTCFullYear());
  for (const [name, count] of [
    ["dem", 2],
    [year, 3],
  ] as const) {
    const { code, stderr } = await runHere(home, ["session", "restore", name]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`"${name}" names ${count} sessions in the trash`);
    expect(stderr).toContain("continuo:demo-2");
    expect(stderr.includes(`claude:${CLAUDE_ID}`)).toBe(count === 3);
  }
  expect((await runHere(home, ["session", "restore", "c"])).code).toBe(3);
  const restored = await runHere(home, ["session", "restore", "demo"]);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("continuo:demo\n") });
  expect(await listed(home)).not.toContain("demo-2");
});

test("native sessions are listed, restored and deleted for good if Continuo's store cannot be opened", async () => {
  using home = createHome();
  writeSessions(home);
  for (const id of [CLAUDE_ID, HOSTILE_ID]) await runHere(home, ["session", "delete", id]);
  home.write(".continuo/continuo.db", "this is not a database");
  const missing = expect.stringContaining("continuo: Continuo's own sessions cannot be listed: ");
  const listed = await runHere(home, ["session", "trash"]);
  expect(listed).toMatchObject({
    code: 4,
    stdout: expect.stringContaining("Fix the build"),
    stderr: missing,
  });
  const restored = await runHere(home, ["session", "restore", CLAUDE_ID]);
  const name = expect.stringContaining(`restored  claude:${CLAUDE_ID}`);
  expect(restored).toMatchObject({ code: 0, stdout: name, stderr: missing });
  const emptied = await runHere(home, ["session", "trash", "--empty", "--yes"]);
  expect(emptied).toMatchObject({ code: 4, stdout: "1 session deleted for good\n", stderr: missing });
});

test("native sessions stay in the trash if the store refuses to delete those of Continuo", async () => {
  using home = createHome();
  writeSessions(home);
  const file = join(home.path, ".continuo/continuo.db");
  await using store = await openStore(`sqlite:${file}`);
  await store.createSession({ sessionId: ID });
  await trash(home, ID);
  await runHere(home, ["session", "delete", CLAUDE_ID]);
  {
    using database = new DatabaseSync(file);
    database.exec("create trigger refused before delete on sessions begin select raise(abort, 'no'); end");
  }
  const { code, stdout } = await runHere(home, ["session", "trash", "--empty", "--yes"]);
  expect(code).not.toBe(0);
  expect(stdout).toBe("");
  const left = JSON.parse((await runHere(home, ["session", "trash", "--json"])).stdout);
  expect(left).toHaveLength(2);
});

test("a session of Continuo's is found by its text while it is in the trash, marked, and its turn is shown", async () => {
  using home = createHome();
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  await store.createSession({ sessionId: ID, title: "Mine" });
  await store.append(ID, [{ type: "message_sent", data: { content: "Why is the otter wet?" } }]);
  const find = async (): Promise<readonly { readonly session: unknown; readonly link: string }[]> =>
    JSON.parse((await runHere(home, ["search", "otter", "--json"])).stdout).results;
  expect(await find()).toMatchObject([{ session: { agent: "continuo", sessionId: ID, trashId: null } }]);
  await trash(home, ID);
  const [{ trashId } = { trashId: "" }] = JSON.parse(
    (await runHere(home, ["session", "trash", "--json"])).stdout,
  ) as readonly { readonly trashId: string }[];
  const [found] = await find();
  expect(found).toMatchObject({
    session: { agent: "continuo", sessionId: ID, trashId },
    link: expect.stringContaining(`trash:${trashId}`),
  });
  expect((await runHere(home, ["search", "otter"])).stdout).toContain("in the trash");
  const shown = await runHere(home, ["open", "1"]);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("Why is the otter wet?") });
  await runHere(home, ["session", "restore", trashId]);
  expect(await find()).toMatchObject([{ session: { sessionId: ID, trashId: null } }]);
  await trash(home, ID);
  await runHere(home, ["session", "trash", "--empty", "--yes"]);
  expect(await find()).toEqual([]);
});
