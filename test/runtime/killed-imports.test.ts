/** Imports of a native session that are killed when a part of it is stored. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readNativeSession } from "@continuo/agents";
import type { Message, Store } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { lookUpSession } from "@continuo/native";
import { importNativeSession } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { newOwner, startRun } from "@continuo/store/sessions";
import { expect, test, vi } from "vitest";
import { TALK_LIMITS } from "../../packages/agents/src/conversations/limits.ts";
import { importMessages } from "../../packages/agents/src/conversations/message-import.ts";
import { importNative } from "../../packages/agents/src/conversations/native-import.ts";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { withCalls } from "../intercepted.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const MESSAGES = 900;

/** Its folder must exist, because a chat takes place in it. */
function sessionIn(home: Home, lines: Parameters<typeof claudeText>[1]): string {
  return claudeText(CLAUDE_ID, lines).replaceAll("/home/ann/app", home.path);
}

test.each(["library", "chat"] as const)(
  "a session whose import by %s was killed is left out of exports and counted, and the next import completes or replaces it",
  { timeout: 60_000 },
  async (way) => {
    using home = createHome();
    const time = "08:00:00";
    const conversation = Array.from({ length: MESSAGES }, (_, at) => {
      const parent = at === 0 ? null : `u${at - 1}`;
      const role = at % 2 === 0 ? ("user" as const) : ("assistant" as const);
      return { uuid: `u${at}`, parent, role, content: `message ${at}`, time };
    });
    home.write(claudeFile(CLAUDE_ID), sessionIn(home, conversation));
    const file = join(home.path, claudeFile(CLAUDE_ID));
    const url = `sqlite:${join(home.path, "store.db")}`;
    const places = { home: home.path, env: {}, cwd: home.path };
    const program = await bundledProgram("test/runtime/processes/importer.ts");
    const args = [program, url, home.path, file, way];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    expect(String(await once(child.stdout, "data"))).toContain("a part is stored");
    child.kill("SIGKILL");
    await exited;

    const exported = async (...which: readonly string[]) =>
      await runHere(home, ["session", "export", ...which, "--format", "openai"], {
        env: { CONTINUO_STORE: url },
      });
    const partial = await exported("--agent", "continuo");
    expect([partial.code, partial.stdout]).toEqual([0, ""]);
    expect(partial.stderr).toContain("left out: 1 session that an import has not completed\n");

    await using store = await openStore(url);
    const [left] = (await store.listSessions()).items;
    expect(left?.metadata.importing).toBe(`claude:${CLAUDE_ID}`);
    const listed = async () =>
      await runHere(home, ["session", "list", "--json", "--agent", "continuo"], {
        env: { CONTINUO_STORE: url },
      });
    expect(JSON.parse((await listed()).stdout)).toMatchObject([{ incomplete: true }]);
    const drawn = await runHere(home, ["session", "list", "--agent", "continuo"], {
      env: { CONTINUO_STORE: url },
    });
    expect(drawn.stdout).toContain("incomplete import");
    const named = await exported(left?.sessionId ?? "");
    expect(named.stderr).toContain("incomplete: an import of this session has not been completed");
    if (way === "library") await importNativeSession(store, file, { places });
    else {
      const { found } = await lookUpSession(file, { places });
      await importNative(found, { store, places, cwd: home.path });
    }
    const [session, ...others] = (await store.listSessions()).items;
    expect(others).toEqual([]);
    expect(session?.sessionId === left?.sessionId).toBe(way === "library");
    expect(session?.metadata).not.toHaveProperty("importing");
    const { messages } = await TranscriptBuilder.fromStore(store, session?.sessionId ?? "");
    const native = await readNativeSession(file, { places });
    expect(messages.map(({ content }) => content)).toEqual(native.messages.map(({ content }) => content));
    expect((await exported("--agent", "continuo")).stderr).toContain("1 session as openai\n");
    expect(JSON.parse((await listed()).stdout)).toMatchObject([{ incomplete: false }]);
  },
);

const FROM = { agent: "claude", sessionId: CLAUDE_ID } as const;
const GONE = newOwner().replace(/\/\d+\/\d+$/u, "/1/1");

type Change = (store: Store, sessionId: string) => Promise<unknown>;

/** Leaves the part of an import that is never continued, and then makes the change. Returns the id of the session. */
async function leavePart(store: Store, change: Change = async () => undefined, by = GONE): Promise<string> {
  const { promise: stored, resolve } = Promise.withResolvers<string>();
  const slow = withCalls(store, async ({ method, args, proceed }) => {
    const result = await proceed();
    if (method !== "append") return result;
    resolve(String(args[0]));
    return await new Promise(() => undefined);
  });
  async function* messages(): AsyncGenerator<Message> {
    for (let at = 0; at < TALK_LIMITS.appendEvents; at += 1) {
      yield { id: `m${at}`, role: "user", content: [{ type: "text", text: "hi" }], metadata: {} };
    }
  }
  const ref = { ...FROM, location: null, cwd: "/work" };
  const options = { store: slow, agent: "claude", title: "Its own title", cwd: "/work", ref, from: FROM };
  void importMessages(messages(), options);
  const sessionId = await stored;
  const name = { logId: sessionId, name: "continuo:import" };
  const record = (await store.getCursor(name))?.data as Readonly<Record<string, unknown>>;
  await store.commitCursor({ ...name, data: { ...record, by } });
  await change(store, sessionId);
  return sessionId;
}

/** The ids of the sessions that are left when a native session is imported. */
async function idsAfterImport(store: Store): Promise<readonly string[]> {
  using home = createHome();
  const content = "Where is it?";
  const asked = { uuid: "u0", parent: null, role: "user", content, time: "08:00:00" } as const;
  home.write(claudeFile(CLAUDE_ID), sessionIn(home, [asked]));
  const places = { home: home.path, env: {}, cwd: home.path };
  const { found } = await lookUpSession(join(home.path, claudeFile(CLAUDE_ID)), { places });
  const { session } = await importNative(found, { store, places, cwd: home.path });
  expect(session.metadata).not.toHaveProperty("importing");
  expect(await store.getCursor({ logId: session.sessionId, name: "continuo:import" })).toBeNull();
  const ids = (await store.listSessions()).items.map(({ sessionId }) => sessionId);
  return ids.filter((id) => id !== session.sessionId);
}

const note = { type: "message_sent", data: { messageId: "n", role: "user", content: "a note" } };

test.each<[what: string, outcome: "removed" | "kept", change?: Change]>([
  ["nothing but the part", "removed"],
  ["the mark of a removal that was killed", "removed", (store, id) => store.closeLog(id)],
  ["a run", "kept", (store, id) => startRun(store, id, "And now?")],
  ["a title of a person", "kept", (store, id) => store.updateSession(id, { title: "Mine" })],
  [
    "a title of a person, without an event",
    "kept",
    (store, id) => store.append(id, [], { also: [{ type: "session", patch: { title: "Mine" } }] }),
  ],
  ["a message of a program", "kept", (store, id) => store.append(id, [note])],
  [
    "another origin",
    "kept",
    (store, id) => {
      const metadata = { takenFrom: { agent: "pi", sessionId: "other" } };
      return store.append(id, [], { also: [{ type: "session", patch: { metadata } }] });
    },
  ],
  [
    "no record of its import",
    "kept",
    (store, id) => store.resetCursor({ logId: id, name: "continuo:import" }),
  ],
])(
  "what a killed import left is removed only if nobody used it: with %s, it is %s",
  async (_, outcome, change) => {
    await using store = await openStore("memory:");
    const part = await leavePart(store, change);
    expect(await idsAfterImport(store)).toEqual(outcome === "kept" ? [part] : []);
  },
);

test("a part from which somebody forked is not removed", async () => {
  await using store = await openStore("memory:");
  const part = await leavePart(store);
  const fork = await store.createSession({ forkedFrom: { logId: part } });
  expect(new Set(await idsAfterImport(store))).toEqual(new Set([part, fork.sessionId]));
});

test("a session to which a program gave the metadata of an import is never removed", async () => {
  await using store = await openStore("memory:");
  const metadata = { importing: `claude:${CLAUDE_ID}`, importedBy: GONE, takenFrom: FROM };
  const { sessionId } = await store.createSession({ metadata });
  await store.append(sessionId, [note]);
  const empty = await store.createSession({ title: "Mine", metadata });
  expect(new Set(await idsAfterImport(store))).toEqual(new Set([sessionId, empty.sessionId]));
});

test("a part is not removed if somebody writes into it at the last moment", async () => {
  await using store = await openStore("memory:");
  const part = await leavePart(store);
  const late = withCalls(store, async ({ method, args, proceed }) => {
    if (method === "append" && args[0] === part) await store.append(part, [note]);
    return await proceed();
  });
  expect(await idsAfterImport(late)).toEqual([part]);
});

test("the part of an import that may still run stays for a day", async () => {
  await using store = await openStore("memory:");
  const here = await leavePart(store, undefined, newOwner());
  const elsewhere = await leavePart(store, undefined, "an owner on another machine");
  expect(new Set(await idsAfterImport(store))).toEqual(new Set([here, elsewhere]));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25 * 3_600_000 });
  try {
    const ids = await idsAfterImport(store);
    expect(ids.filter((id) => [here, elsewhere].includes(id))).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test("an import that fails keeps a session in which somebody wrote", async () => {
  await using store = await openStore("memory:");
  let written = "";
  async function* torn(): AsyncGenerator<Message> {
    yield { id: "m", role: "user", content: [{ type: "text", text: "hi" }], metadata: {} };
    written = (await store.listSessions()).items[0]?.sessionId ?? "";
    await startRun(store, written, "And now?");
    throw new Error("it went away");
  }
  const ref = { ...FROM, location: null, cwd: "/work" };
  const options = { store, agent: "claude", title: null, cwd: "/work", ref, from: FROM };
  await expect(importMessages(torn(), options)).rejects.toThrow("it went away");
  expect(await store.getSession(written)).not.toBeNull();
});

test.each(["not created", "created by a call that fails"])(
  "an import whose session is %s leaves nothing in the store",
  async (outcome) => {
    await using store = await openStore("memory:");
    const logIds: string[] = [];
    const failing = withCalls(store, async ({ method, args, proceed }) => {
      if (method === "commitCursor") logIds.push((args[0] as { readonly logId: string }).logId);
      if (method !== "createSession") return await proceed();
      if (outcome !== "not created") await proceed();
      throw new Error("the connection is lost");
    });
    const ref = { ...FROM, location: null, cwd: "/work" };
    const options = { store: failing, agent: "claude", title: null, cwd: "/work", ref, from: FROM };
    await expect(importMessages([], options)).rejects.toThrow("the connection is lost");
    expect(logIds).toHaveLength(1);
    for (const logId of logIds) expect(await store.getCursor({ logId, name: "continuo:import" })).toBeNull();
    expect((await store.listSessions()).items).toEqual([]);
  },
);
