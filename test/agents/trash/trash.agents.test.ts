/** The real agents confirm that a deleted session is missing in their own lists, and that a restored one continues. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Places, restoreNativeSession, trashNativeSession } from "@continuo/agents";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asObjects, asText, type ModelServer, startModelServer } from "../../model-servers/index.ts";
import * as codexTalk from "../codex/conversation.ts";
import { openCodex } from "../codex/driver.ts";
import * as opencodeTalk from "../opencode/conversation.ts";
import { openOpencode } from "../opencode/driver.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

let sandbox: Sandbox;
let model: ModelServer | undefined;

beforeAll(async () => {
  sandbox = await makeSandbox();
});
afterAll(async () => {
  await model?.close();
  await sandbox?.[Symbol.asyncDispose]();
});

test("codex: thread/list, and a turn after the restoration", async () => {
  for (const [path, content] of codexTalk.FILES) await sandbox.write(path, content);
  model = await startModelServer(codexTalk.scriptFor(sandbox.project));
  const codex = await openCodex(sandbox, model.url);
  const places: Places = { home: sandbox.root, env: { CODEX_HOME: codex.home } };
  async function listed(): Promise<readonly string[]> {
    await using app = await codex.appServer();
    const params = {
      archived: false,
      modelProviders: [],
      sourceKinds: ["exec", "cli", "vscode", "appServer"],
    };
    return asObjects((await app.request("thread/list", params)).data).map(({ id }) => asText(id));
  }
  const { threadId } = await codex.exec(codexTalk.SAID.look);
  expect(await listed()).toEqual([threadId]);
  const rows = rowsAbout(codex.home, threadId);
  expect(Object.keys(rows)).toEqual(expect.arrayContaining(["threads", "thread_items", "thread_turns"]));
  await trashNativeSession(`codex:${threadId}`, { places });
  expect(rowsAbout(codex.home, threadId)).toEqual({});
  expect(await listed()).toEqual([]);
  await restoreNativeSession(threadId, { places });
  expect(rowsAbout(codex.home, threadId)).toEqual(rows);
  expect(await listed()).toEqual([threadId]);
  expect((await codex.exec(codexTalk.SAID.look, { resume: threadId })).threadId).toBe(threadId);
  await model.close();
  model = undefined;
});

/**
 * Returns the rows of all databases of Codex, by table, that name a thread in any column. The log is left out, because
 * it records everything.
 */
function rowsAbout(home: string, threadId: string): Readonly<Record<string, readonly unknown[]>> {
  const files = readdirSync(home).filter((name) => /^(?!logs_).*\.sqlite$/u.test(name));
  const all = files.flatMap((file) => {
    using database = new DatabaseSync(join(home, file), { readOnly: true });
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    return tables.map(({ name }): [string, readonly unknown[]] => {
      const rows = database.prepare(`select * from "${name}"`).all();
      return [String(name), rows.filter((row) => JSON.stringify(row).includes(threadId))];
    });
  });
  return Object.fromEntries(all.filter(([, rows]) => rows.length > 0));
}

test("opencode: session list lacks the deleted session while opencode runs, and export prints the restored one as before", async () => {
  for (const [path, content] of opencodeTalk.FILES) await sandbox.write(path, content);
  model = await startModelServer(opencodeTalk.scriptFor(sandbox.project));
  const opencode = await openOpencode(sandbox, model.url);
  const places: Places = { home: sandbox.root, env: { XDG_DATA_HOME: opencode.dataHome } };
  const id = await (async () => {
    await using first = await opencode.serve();
    const created = await first.create();
    await first.say(created, opencodeTalk.SAID.compare);
    await first.named(created);
    // The running opencode wrote to this session, and may do so again.
    const trashed = trashNativeSession(`opencode:${created}`, { places });
    await expect(trashed).rejects.toMatchObject({ code: "session_live" });
    return created;
  })();
  // A process that started in the second of the last write counts as its writer.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await using server = await opencode.serve();
  const listed = async (): Promise<readonly string[]> =>
    asObjects(await server.request("GET", "/session")).map((row) => asText(row.id));
  const exported = async (): Promise<string> => (await opencode.command(["export", id])).stdout;
  expect(await listed()).toContain(id);
  const before = await exported();
  expect(before).toContain(opencodeTalk.SAID.compare);
  await trashNativeSession(`opencode:${id}`, { places });
  expect(await listed()).not.toContain(id);
  expect(await exported()).not.toContain(opencodeTalk.SAID.compare);
  await restoreNativeSession(id, { places });
  expect(await listed()).toContain(id);
  expect(await exported()).toBe(before);
  await server.say(id, opencodeTalk.SAID.look);
});
