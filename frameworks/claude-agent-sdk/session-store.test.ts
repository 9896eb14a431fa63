/** The contract of a `SessionStore`, and the functions of the SDK that read and copy through one. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  forkSession,
  getSessionMessages,
  InMemorySessionStore,
  importSessionToStore,
  listSessions,
  type SessionStoreEntry,
  type SessionSummaryEntry,
} from "@anthropic-ai/claude-agent-sdk";
import { afterAll, describe, expect, test } from "vitest";
import { ContinuoSessionStore } from "../../packages/claude-agent-sdk/src/index.ts";
import { TranscriptBuilder } from "../../packages/core/src/transcript/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";
import { newProject, saveFiles, saveProgram } from "../project.ts";

const memory = await openStore("memory:");
afterAll(() => memory.close());
let workspaces = 0;

const main = { projectKey: "-work-build", sessionId: "11111111-1111-4111-8111-111111111111" };
const sub = { ...main, subpath: "subagents/agent-a" };

function entry(uuid: string, words: string): SessionStoreEntry {
  return {
    type: "user",
    uuid,
    timestamp: "2026-11-27T10:00:00.000Z",
    z: 1,
    a: { z: null, b: [1] },
    message: { role: "user", content: words },
  };
}
const mode: SessionStoreEntry = { type: "mode", mode: "plan" };

test("the title of a session is its first prompt, as a string or as the blocks that the SDK writes", async () => {
  const store = memory.forWorkspace(`claude-${++workspaces}`);
  const content = [{ type: "text", text: "Why does it fail?" }];
  const blocks = { ...entry("2", ""), message: { role: "user", content } };
  const result = { type: "tool_result", tool_use_id: "t", content: "no words of a person" };
  const answered = { ...entry("1", ""), message: { role: "user", content: [result] } };
  await new ContinuoSessionStore(store).append(main, [mode, answered, blocks]);
  expect((await store.listSessions({})).items.map(({ title }) => title)).toEqual(["Why does it fail?"]);
});

describe.each([
  ["Continuo's store", () => new ContinuoSessionStore(memory.forWorkspace(`claude-${++workspaces}`))],
  ["the SDK's own in memory", () => new InMemorySessionStore()],
] as const)("a session store: %s", (_, create) => {
  test("entries come back in the order of their appends, deep-equal", async () => {
    const store = create();
    await store.append(main, [entry("1", "one"), entry("2", "two")]);
    await store.append(main, [mode, entry("3", "three")]);
    expect(await store.load(main)).toEqual([entry("1", "one"), entry("2", "two"), mode, entry("3", "three")]);
  });

  test("a key that was never written is null", async () => {
    const store = create();
    expect(await store.load(main)).toBeNull();
    expect(await store.listSessions(main.projectKey)).toEqual([]);
  });

  test("a subpath is separate from its session, and a project from other projects", async () => {
    const store = create();
    await store.append(main, [entry("1", "main")]);
    await store.append(sub, [entry("1", "sub")]);
    const other = { ...main, projectKey: "-other" };
    await store.append(other, [entry("1", "other")]);
    expect(await store.load(main)).toEqual([entry("1", "main")]);
    expect(await store.load(sub)).toEqual([entry("1", "sub")]);
    expect(await store.load(other)).toEqual([entry("1", "other")]);
  });

  test("the list of a project has its sessions with whole milliseconds, and no subpaths", async () => {
    const store = create();
    const second = { ...main, sessionId: "22222222-2222-4222-8222-222222222222" };
    await store.append(main, [entry("1", "one")]);
    await store.append(second, [entry("1", "one")]);
    await store.append(sub, [entry("1", "one")]);
    await store.append({ ...main, projectKey: "-other" }, [entry("1", "one")]);
    const listed = await store.listSessions(main.projectKey);
    expect(listed.map(({ sessionId }) => sessionId).sort()).toEqual([main.sessionId, second.sessionId]);
    expect(listed.every(({ mtime }) => Number.isInteger(mtime) && mtime > 1e12)).toBe(true);
  });

  test("deleting a session deletes its subpaths, and deleting a subpath deletes only the subpath", async () => {
    const store = create();
    const second = { ...main, subpath: "subagents/agent-b" };
    for (const key of [main, sub, second]) await store.append(key, [entry("1", "one")]);
    await store.delete?.(sub);
    expect([await store.load(main), await store.load(sub)]).toEqual([[entry("1", "one")], null]);
    expect(await store.listSubkeys?.(main)).toEqual([second.subpath]);
    await store.delete?.(main);
    expect([await store.load(main), await store.load(second)]).toEqual([null, null]);
    expect(await store.listSubkeys?.(main)).toEqual([]);
    await store.delete?.(main);
  });

  test("the list of subkeys has only those of its session", async () => {
    const store = create();
    expect(await store.listSubkeys?.(main)).toEqual([]);
    await store.append(sub, [entry("1", "one")]);
    await store.append({ ...sub, sessionId: "3" }, [entry("1", "one")]);
    expect(await store.listSubkeys?.(main)).toEqual([sub.subpath]);
  });
});

function newStore(): ContinuoSessionStore {
  return new ContinuoSessionStore(memory.forWorkspace(`claude-${++workspaces}`));
}

test("an append of nothing writes nothing", async () => {
  const store = newStore();
  await store.append(main, []);
  expect(await store.load(main)).toBeNull();
  expect(await store.listSessions(main.projectKey)).toEqual([]);
});

test("an entry with a uuid is stored once, even by two processes, and an entry without a uuid each time", async () => {
  const view = memory.forWorkspace(`claude-${++workspaces}`);
  const [one, other] = [new ContinuoSessionStore(view), new ContinuoSessionStore(view)];
  const entries = Array.from({ length: 10 }, (_, at) => entry(String(at), `words ${at}`));
  await Promise.all([one.append(main, entries.slice(0, 7)), other.append(main, entries.slice(3))]);
  await one.append(main, [entries[0] ?? mode, entries[0] ?? mode, mode, mode]);
  const loaded = (await other.load(main)) ?? [];
  expect(
    loaded
      .map(({ uuid }) => uuid)
      .filter((uuid) => uuid !== undefined)
      .sort(),
  ).toEqual(entries.map(({ uuid }) => uuid));
  expect(loaded.filter(({ type }) => type === "mode")).toHaveLength(2);
});

test("the SDK imports, lists, reads and forks through the store, and Continuo shows the messages", async () => {
  const { home, cwd, ids } = nativeSession();
  process.env.CLAUDE_CONFIG_DIR = home;
  const view = memory.forWorkspace(`claude-${++workspaces}`);
  const sessionStore = new ContinuoSessionStore(view);
  const options = { dir: cwd, sessionStore };
  try {
    await importSessionToStore(main.sessionId, sessionStore, { dir: cwd });
    await importSessionToStore(main.sessionId, sessionStore, { dir: cwd });
    const messages = await getSessionMessages(main.sessionId, options);
    expect(messages.map(({ uuid }) => uuid)).toEqual(ids);
    expect((await listSessions(options)).map(({ sessionId }) => sessionId)).toEqual([main.sessionId]);
    const fork = await forkSession(main.sessionId, options);
    const forked = await getSessionMessages(fork.sessionId, options);
    expect(forked.map(({ message }) => message)).toEqual(messages.map(({ message }) => message));
    const { items } = await view.listSessions({ agent: "claude-agent-sdk" });
    expect(items.map(({ title, cwd: at }) => [title, at])).toContainEqual(["Why does it fail?", cwd]);
    expect(items).toHaveLength(2);
    for (const { sessionId } of items) {
      const shown = JSON.stringify(await TranscriptBuilder.fromStore(view, sessionId));
      for (const text of SAID) expect(shown).toContain(text);
    }
  } finally {
    delete process.env.CLAUDE_CONFIG_DIR;
    rmSync(home, { recursive: true });
  }
});

test("the guide is followed, and the program of the package's page prints what it should", async () => {
  const project = newProject("claude-agent-sdk");
  const { home, cwd } = nativeSession();
  try {
    saveFiles(project, "docs/guides/claude-agent-sdk.md");
    const run = (file: string): Promise<string> =>
      project.run(file, { args: [main.sessionId, cwd], env: { CLAUDE_CONFIG_DIR: home } });
    expect(await run("copy.js")).toBe("copied: Why does it fail?\n");
    expect(await run("copy.js")).toBe("copied: Why does it fail?\n");
    expect(await run("fork.js")).toBe("user, assistant, user, assistant\n");
    saveProgram(project, "packages/claude-agent-sdk/README.md");
    expect([await project.run("main.js"), await project.run("main.js")]).toEqual(["1 1\n", "1 1\n"]);
  } finally {
    project.remove();
    rmSync(home, { recursive: true });
  }
});

const SAID = ["Why does it fail?", "Read", "a stale file", "It is the cache."];

/** A session of Claude Code in a home of its own, with a call and its result. */
function nativeSession(): { readonly home: string; readonly cwd: string; readonly ids: readonly string[] } {
  const home = mkdtempSync(join(tmpdir(), "continuo-claude-sdk-"));
  const cwd = join(home, "build");
  const folder = join(home, "projects", cwd.replaceAll(/[^A-Za-z0-9]/gu, "-"));
  mkdirSync(folder, { recursive: true });
  mkdirSync(cwd);
  const said: readonly (readonly [role: string, content: unknown])[] = [
    ["user", "Why does it fail?"],
    ["assistant", [{ type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "log" } }]],
    ["user", [{ type: "tool_result", tool_use_id: "toolu_1", content: "a stale file" }]],
    ["assistant", [{ type: "text", text: "It is the cache." }]],
  ];
  const ids = said.map((_, at) => `0000000${at + 1}-0000-4000-8000-000000000000`);
  const lines = said.map(([role, content], at) => ({
    parentUuid: at === 0 ? null : ids[at - 1],
    isSidechain: false,
    userType: "external",
    cwd,
    sessionId: main.sessionId,
    version: "2.1.0",
    type: role,
    message: { role, content },
    uuid: ids[at],
    timestamp: "2026-11-27T10:00:00.000Z",
  }));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(folder, `${main.sessionId}.jsonl`), text);
  return { home, cwd, ids };
}

test("an entry that is not a message is stored and not shown", async () => {
  const store = newStore();
  const strange: SessionStoreEntry = { type: "user", uuid: "s", message: { role: "user", content: 5 } };
  await store.append(main, [mode, strange]);
  expect(await store.load(main)).toEqual([mode, strange]);
});

test("the messages of a sub-agent are shown in its own session, and not in that of its parent", async () => {
  const view = memory.forWorkspace(`claude-${++workspaces}`);
  const store = new ContinuoSessionStore(view);
  const aside = { ...entry("1", "count the words"), isSidechain: true };
  for (const key of [main, sub]) await store.append(key, [aside]);
  const id = `${main.sessionId}/${main.projectKey}`;
  const shown = async (name: string) =>
    JSON.stringify((await TranscriptBuilder.fromStore(view, name)).messages);
  expect(await shown(id)).not.toContain("count the words");
  expect(await shown(`${encodeURIComponent(sub.subpath)}/${id}`)).toContain("count the words");
});

test("summaries are those of the SDK's own store, and a second list reads only what is new", async () => {
  let eventsRead = 0;
  const view = new Proxy(memory.forWorkspace(`claude-${++workspaces}`), {
    get: (target, key) => {
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      if (key !== "read") return value.bind(target);
      return async (...args: Parameters<typeof target.read>) => {
        const page = await target.read(...args);
        eventsRead += page.events.length;
        return page;
      };
    },
  });
  const [store, theirs] = [new ContinuoSessionStore(view), new InMemorySessionStore()];
  const second = { ...main, sessionId: "22222222-2222-4222-8222-222222222222" };
  const title: SessionStoreEntry = { type: "custom-title", customTitle: "The harbour" };
  const both = async (key: typeof main, ...entries: SessionStoreEntry[]): Promise<void> => {
    for (const one of [store, theirs]) await one.append(key, entries);
  };
  const compare = async (): Promise<void> => {
    const listed = await store.listSessions(main.projectKey);
    const summaries = await store.listSessionSummaries(main.projectKey);
    expect(summaries.map(({ sessionId, mtime }) => ({ sessionId, mtime }))).toEqual(listed);
    const data = (of: readonly SessionSummaryEntry[]) =>
      Object.fromEntries(of.map(({ sessionId, data: kept }) => [sessionId, kept]));
    expect(data(summaries)).toEqual(data(await theirs.listSessionSummaries(main.projectKey)));
  };
  await both(main, entry("1", "Why does it fail?"), { ...entry("2", "And now?"), gitBranch: "main" });
  await both(second, entry("1", "Something else"), mode);
  await both({ ...main, projectKey: "-other" }, entry("1", "elsewhere"));
  await compare();
  await both(main, title, { ...entry("3", "Go on."), gitBranch: "harbour" });
  eventsRead = 0;
  await compare();
  // The last known event of each session is read again, and the two new ones of the first.
  expect(eventsRead).toBe(4);
  for (const one of [store, theirs]) await one.delete(second);
  await both(second, entry("9", "Begun again"));
  await compare();
});
