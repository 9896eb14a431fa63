/** An editor on the gateway, with a scripted agent. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import { openOwn, restoreOwn, trashedOwn } from "@continuo/agents/catalog";
import { listTrashedSessions } from "@continuo/native/editing";
import { beforeEach, describe, expect, test } from "vitest";
import { removeUnused } from "../../src/gateway/unused-sessions.ts";
import { CLAUDE_ID, CONVERSATION, claudeFile, claudeText, cleanEnv } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor, spokenIn } from "./editor.ts";

let home: TalkHome;
let cwd: string;
beforeEach(() => {
  home = createTalkHome();
  cwd = join(home.path, "project");
});

async function newSession({ agent }: Editor): Promise<string> {
  return (await agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

function say(editor: Editor, sessionId: string, text: string) {
  return editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

/** Removes the file of a session of Claude Code, as another program does. */
function removeFile(sessionId = ""): void {
  rmSync(join(home.path, claudeFile(sessionId.replace("claude:", ""))), { force: true });
}

describe("a turn", () => {
  test("reaches the editor while it happens, and nothing follows its answer", async () => {
    await using editor = await openEditor(home);
    const id = await newSession(editor);
    expect(id).toMatch(/^continuo:[0-9a-f-]{36}$/u);
    expect(await say(editor, id, "fix it")).toEqual({ stopReason: "end_turn" });
    const told = editor.take();
    expect(spokenIn(told)).toContain("I will **fix** `src/a.ts`");
    expect(told.map(({ sessionUpdate }) => sessionUpdate)).toEqual(
      expect.arrayContaining(["agent_thought_chunk", "plan", "tool_call", "tool_call_update"]),
    );
    expect(told.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject([
      { toolCallId: "t1", title: "Read", kind: "read", locations: [{ path: "src/a.ts" }] },
      { toolCallId: "t2", title: "Edit", kind: "edit" },
    ]);
    expect(editor.questions).toMatchObject([
      { sessionId: id, toolCall: { toolCallId: "t2" }, options: [{ optionId: "yes" }, {}, {}] },
    ]);
    expect(spokenIn(told)).toContain('"optionId":"yes"');
    const after = editor.updates.length;
    await editor.agent.request("session/list", {});
    expect(editor.updates.slice(after)).toEqual([]);
  });

  test("that is cancelled ends as cancelled, and its calls have ended", async () => {
    await using editor = await openEditor(home);
    const id = await newSession(editor);
    const ended = say(editor, id, "slow");
    await expect
      .poll(() => editor.updates.some(({ update }) => update.sessionUpdate === "tool_call"))
      .toBe(true);
    await editor.agent.notify("session/cancel", { sessionId: id });
    expect(await ended).toEqual({ stopReason: "cancelled" });
    expect(editor.updates.map(({ update }) => update)).toContainEqual({
      sessionUpdate: "tool_call_update",
      toolCallId: "w",
      status: "failed",
    });
  });

  test("that ends at the agent's limit of steps has the protocol's stop reason for it", async () => {
    await using editor = await openEditor(home);
    const id = await newSession(editor);
    expect(await say(editor, id, "all of it")).toEqual({ stopReason: "max_turn_requests" });
    expect(spokenIn(editor.take())).toContain("I did a part.");
  });

  test("that fails is an error with its reason, and the session stays", async () => {
    await using editor = await openEditor(home);
    const id = await newSession(editor);
    await expect(say(editor, id, "refuse")).rejects.toThrow(/the model says 401/u);
    expect(await say(editor, id, "hello")).toEqual({ stopReason: "end_turn" });
  });
});

describe("the sessions of this machine", () => {
  beforeEach(() => home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION)));

  test("are listed under their agents' names, and no agent is started", async () => {
    await using editor = await openEditor(home);
    const { sessions } = await editor.agent.request("session/list", {});
    expect(sessions).toMatchObject([
      { sessionId: `claude:${CLAUDE_ID}`, cwd: "/home/ann/app", title: "Fix the build" },
    ]);
    expect(await editor.agent.request("session/list", { cwd: "/home/nobody" })).toEqual({ sessions: [] });
    expect(home.methods()).toEqual([]);
  });

  test("are replayed before the answer, with the same ids each time", async () => {
    await using editor = await openEditor(home);
    const load = { sessionId: `claude:${CLAUDE_ID}`, cwd, mcpServers: [] };
    await editor.agent.request("session/load", load);
    const first = editor.take();
    expect(first.slice(0, 4)).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "Fix the build" } },
      { sessionUpdate: "agent_thought_chunk" },
      { sessionUpdate: "agent_message_chunk", content: { text: "I **look**." } },
      { sessionUpdate: "tool_call", toolCallId: "t1", kind: "execute", title: "Bash: make" },
    ]);
    await editor.agent.request("session/load", load);
    const ids = (updates: readonly object[]) =>
      updates.map((one) =>
        "messageId" in one ? one.messageId : "toolCallId" in one ? one.toolCallId : null,
      );
    expect(ids(editor.take())).toEqual(ids(first));
    expect(home.methods()).toEqual([]);
  });

  test("are resumed without their history", async () => {
    await using editor = await openEditor(home);
    await editor.agent.request("session/resume", { sessionId: `claude:${CLAUDE_ID}`, cwd });
    expect(editor.updates).toEqual([]);
  });

  test("continue in another agent under the same id, with a receipt", async () => {
    home.write("app/readme", "");
    const id = "4bf3c2a1-0000-4000-8000-00000000000a";
    home.write(
      claudeFile(id),
      claudeText(id, CONVERSATION).replaceAll("/home/ann/app", join(home.path, "app")),
    );
    await using editor = await openEditor(home);
    const sessionId = `claude:${id}`;
    await editor.agent.request("session/resume", { sessionId, cwd });
    const { configOptions } = await editor.agent.request("session/set_config_option", {
      sessionId,
      configId: "agent",
      value: "robot",
    });
    expect(configOptions).toMatchObject([{ id: "agent", currentValue: "robot" }, { id: "permissions" }]);
    expect(await say(editor, sessionId, "hello")).toEqual({ stopReason: "end_turn" });
    const spoken = spokenIn(editor.take());
    expect(spoken).toMatch(/\[Continuo: robot .*\]/u);
    expect(spoken).toContain(": it was sent as text of the first prompt, and not checked.");
    expect(home.prompts()[0]).toContain("Fix the build");
    const { sessions } = await editor.agent.request("session/list", {});
    expect(sessions.filter((one) => one.sessionId === sessionId)).toMatchObject([
      { _meta: { continuo: { agent: "robot" } } },
    ]);
    await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    expect(spokenIn(editor.take())).toMatch(/You said: [\s\S]*The new message:hello/u);
  });

  test("that no longer exist give one error, and never a new session", async () => {
    await using editor = await openEditor(home);
    for (const sessionId of [
      `claude:${CLAUDE_ID.slice(0, 8)}`,
      "last",
      "claude:nothing",
      "continuo:x",
      "/etc",
    ]) {
      const gone = { code: -32_002, data: { code: "not_found" } };
      await expect(
        editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] }),
      ).rejects.toMatchObject(gone);
      await expect(editor.agent.request("session/resume", { sessionId, cwd })).rejects.toMatchObject(gone);
      await expect(say(editor, sessionId, "hello")).rejects.toMatchObject(gone);
    }
    expect(home.methods()).toEqual([]);
  });

  test("are deleted to the trash, forked and named", async () => {
    await using editor = await openEditor(home);
    const sessionId = `claude:${CLAUDE_ID}`;
    const fork = await editor.agent.request("session/fork", { sessionId, cwd, mcpServers: [] });
    expect(fork.sessionId).toMatch(/^claude:[0-9a-f-]{36}$/u);
    await editor.agent.request("session/set_title", { sessionId, title: "The build" });
    const list = async () => (await editor.agent.request("session/list", {})).sessions;
    expect(await list()).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ sessionId, title: "The build" }),
        expect.objectContaining({ sessionId: fork.sessionId }),
      ]),
    );
    await editor.agent.request("session/delete", { sessionId });
    await editor.agent.request("session/delete", { sessionId });
    expect((await list()).map((one) => one.sessionId)).toEqual([fork.sessionId]);
  });
});

describe("deletion", () => {
  test("takes the native sessions of the same conversation to the trash", async () => {
    home.write("app/readme", "");
    const id = "4bf3c2a1-0000-4000-8000-00000000000c";
    const text = claudeText(id, CONVERSATION).replaceAll("/home/ann/app", join(home.path, "app"));
    home.write(claudeFile(id), text);
    await using editor = await openEditor(home);
    const sessionId = `claude:${id}`;
    await editor.agent.request("session/resume", { sessionId, cwd });
    const choice = { sessionId, configId: "agent", value: "robot" };
    await editor.agent.request("session/set_config_option", choice);
    await say(editor, sessionId, "hello");
    await editor.agent.request("session/delete", { sessionId });
    expect((await editor.agent.request("session/list", {})).sessions).toEqual([]);
    await expect(
      editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32_002 });
    const places = { home: home.path, env: cleanEnv(home.path) };
    expect(listTrashedSessions({ places })).toMatchObject([{ info: { agent: "claude", sessionId: id } }]);
  });
});

describe("a session of Continuo's own that an editor deletes", () => {
  test("is in the trash with all of its messages, and returns with the native session of its conversation", async () => {
    home.write("app/readme", "");
    const id = "4bf3c2a1-0000-4000-8000-00000000000d";
    const text = claudeText(id, CONVERSATION).replaceAll("/home/ann/app", join(home.path, "app"));
    home.write(claudeFile(id), text);
    await using editor = await openEditor(home);
    const sessionId = `claude:${id}`;
    await editor.agent.request("session/resume", { sessionId, cwd });
    const choice = { sessionId, configId: "agent", value: "robot" };
    await editor.agent.request("session/set_config_option", choice);
    await say(editor, sessionId, "hello");
    const rows = async () =>
      (await editor.agent.request("session/list", {})).sessions.map((one) => one.sessionId);
    await editor.agent.request("session/delete", { sessionId });
    expect(await rows()).toEqual([]);
    const places = { home: home.path, env: cleanEnv(home.path) };
    await using own = await openOwn({ ...places, cwd });
    if (own === null) throw new Error("the store was made");
    const [trashed] = await trashedOwn(own);
    await restoreOwn(trashed?.trashId ?? "", own, { places });
    expect(listTrashedSessions({ places })).toEqual([]);
    expect(await rows()).toEqual([sessionId]);
    editor.take();
    await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    expect(spokenIn(editor.take())).toMatch(/You said: [\s\S]*hello/u);
  });
});

describe("the list", () => {
  test("comes in pages whose cursor stays valid while sessions are added and removed", async () => {
    for (let at = 0; at < 230; at += 1) {
      const id = `4bf3c2a1-0000-4000-8000-${String(at).padStart(12, "0")}`;
      home.write(claudeFile(id), claudeText(id, CONVERSATION));
    }
    await using editor = await openEditor(home);
    const ids: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await editor.agent.request("session/list", { cursor: cursor ?? null });
      ids.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor;
      home.write(claudeFile(CLAUDE_ID.replace("0001", "9999")), claudeText(CLAUDE_ID, CONVERSATION));
      for (const shown of [ids[0], ids.at(-1)]) removeFile(shown);
    } while (cursor !== undefined && cursor !== null);
    expect([ids.length, new Set(ids).size]).toEqual([230, 230]);
    await expect(editor.agent.request("session/list", { cursor: "9:9" })).rejects.toMatchObject({
      code: -32_602,
    });
  });

  test("loses and repeats no session when others are removed between its first pages and the rest", async () => {
    // The first two pages come from the newest sessions, and the others are read after them.
    const all = Array.from(
      { length: 320 },
      (_, at) => `4bf3c2a1-0000-4000-8000-${String(at).padStart(12, "0")}`,
    );
    for (const id of all) home.write(claudeFile(id), claudeText(id, CONVERSATION));
    await using editor = await openEditor(home);
    const first = await editor.agent.request("session/list", {});
    const shown = first.sessions.map(({ sessionId }) => sessionId);
    const hidden = all.map((id) => `claude:${id}`).filter((id) => !shown.includes(id));
    const removed = [...shown.slice(0, 5), ...hidden.slice(0, 5), ...hidden.slice(-5)];
    removed.forEach(removeFile);
    const ids = [...shown];
    let cursor = first.nextCursor;
    while (typeof cursor === "string") {
      const page = await editor.agent.request("session/list", { cursor });
      ids.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor;
    }
    const stay = all.map((id) => `claude:${id}`).filter((id) => !removed.includes(id));
    expect(stay.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    const { sessions } = await editor.agent.request("session/list", {});
    expect(sessions.filter(({ sessionId }) => removed.includes(sessionId))).toEqual([]);
  });
});

describe("a new session without a message", () => {
  test("is there for the next process of the editor, in no list, and removed after a week", async () => {
    let id = "";
    {
      await using editor = await openEditor(home);
      id = await newSession(editor);
    }
    {
      await using editor = await openEditor(home);
      expect((await editor.agent.request("session/list", {})).sessions).toEqual([]);
      await editor.agent.request("session/resume", { sessionId: id, cwd });
      expect(await say(editor, id, "hello")).toEqual({ stopReason: "end_turn" });
      const { sessions } = await editor.agent.request("session/list", {});
      expect(sessions).toMatchObject([{ sessionId: id, title: "hello" }]);
      await newSession(editor);
    }
    const places = { home: home.path, cwd, env: cleanEnv(home.path) };
    const sessions = async () => {
      await using own = await openOwn(places);
      return (await own?.store.listSessions({}))?.items.length;
    };
    const day = 24 * 60 * 60 * 1000;
    await removeUnused(places, Date.now() + 6 * day);
    expect(await sessions()).toBe(2);
    await removeUnused(places, Date.now() + 8 * day);
    expect(await sessions()).toBe(1);
  });
});

describe("an update for an editor", () => {
  test("is never larger than a client of the protocol takes", async () => {
    const big = "x".repeat(9_000_000);
    const id = "4bf3c2a1-0000-4000-8000-00000000000b";
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: big } };
    const blocks = [
      { uuid: "u1", parent: null, role: "user", content: [{ type: "text", text: big }, image] },
      {
        uuid: "a1",
        parent: "u1",
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "Write", input: { file_path: "/a", content: big } }],
      },
    ] as const;
    const lines = blocks.map((line, at) => ({ ...line, time: `10:00:0${at}` }));
    home.write(claudeFile(id), claudeText(id, lines));
    await using editor = await openEditor(home);
    await editor.agent.request("session/load", { sessionId: `claude:${id}`, cwd, mcpServers: [] });
    const told = editor.take();
    expect(told.map((update) => JSON.stringify(update).length).filter((chars) => chars > 8_500_000)).toEqual(
      [],
    );
    const words = told.map((update) => JSON.stringify(update)).join("");
    expect(words).toContain("[image of 9000000 characters, which is too large for a message]");
    expect(words).toContain('"rawInput":{"leftOut":"');
    // A text may arrive in several updates.
    const text = told.flatMap((one) =>
      one.sessionUpdate === "user_message_chunk" && one.content.type === "text" ? [one.content.text] : [],
    );
    expect(text.join("")).toContain(big);
  });
});

describe("two editors on one session", () => {
  test("the second one waits for the turn of the first, and then its own begins", async () => {
    await using one = await openEditor(home);
    const id = await newSession(one);
    await say(one, id, "hello");
    await using two = await openEditor(home);
    await two.agent.request("session/resume", { sessionId: id, cwd });
    const running = say(one, id, "slow");
    await expect
      .poll(() => one.updates.some(({ update }) => update.sessionUpdate === "tool_call"))
      .toBe(true);
    const waiting = say(two, id, "and now?");
    await expect.poll(() => two.reports.join(" ")).toContain("waits for its end");
    await one.agent.notify("session/cancel", { sessionId: id });
    expect(await running).toEqual({ stopReason: "cancelled" });
    expect(await waiting).toEqual({ stopReason: "end_turn" });
    expect(spokenIn(two.take())).toContain("and now?");
  });

  test("a turn that waits for the first turn of the other editor gets the agent after it", async () => {
    await using one = await openEditor(home);
    const id = await newSession(one);
    const running = say(one, id, "slow");
    await expect
      .poll(() => one.updates.some(({ update }) => update.sessionUpdate === "tool_call"))
      .toBe(true);
    await using two = await openEditor(home);
    await two.agent.request("session/resume", { sessionId: id, cwd });
    const waiting = say(two, id, "and now?");
    await expect.poll(() => two.reports.join(" ")).toContain("waits for its end");
    await one.agent.notify("session/cancel", { sessionId: id });
    expect(await running).toEqual({ stopReason: "cancelled" });
    expect(await waiting).toEqual({ stopReason: "end_turn" });
  });

  test("both see each turn once", async () => {
    await using one = await openEditor(home);
    const id = await newSession(one);
    await say(one, id, "hello");
    await using two = await openEditor(home);
    await two.agent.request("session/load", { sessionId: id, cwd, mcpServers: [] });
    two.take();
    await say(one, id, "fix it");
    await expect.poll(() => spokenIn(two.updates.map(({ update }) => update))).toContain("Done.");
    const seen = two.take();
    expect(seen[0]).toMatchObject({ sessionUpdate: "user_message_chunk", content: { text: "fix it" } });
    expect(seen.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toHaveLength(2);
    await say(two, id, "and now?");
    await expect.poll(() => spokenIn(one.updates.map(({ update }) => update))).toContain("and now?");
    expect(spokenIn(two.take()).match(/and now\?/gu)).toHaveLength(1);
  });
});

describe("the editor's MCP servers", () => {
  const files: McpServer = {
    name: "files",
    command: "serve",
    args: ["-v"],
    env: [{ name: "TOKEN", value: "t" }],
  };
  const web: McpServer = { type: "http", name: "web", url: "http://127.0.0.1:9/mcp", headers: [] };

  test("reach the agent, and the editor receives the names of those that do not", async () => {
    await using editor = await openEditor(home, { capabilities: { session: { notices: {} } } });
    const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [files, web] });
    await say(editor, sessionId, "hello");
    expect(home.sent("session/new").at(-1)).toMatchObject({ cwd, mcpServers: [files] });
    expect(editor.updates.map(({ update }) => update)).toContainEqual({
      sessionUpdate: "notice",
      severity: "info",
      title: "robot is not given these tool servers: web",
    });
  });

  test("come in addition to those of continuo.yaml, and replace one with the same name", async () => {
    const path = ".continuo/continuo.yaml";
    const content = JSON.parse(readFileSync(join(home.path, path), "utf8"));
    // The variable of a server that is replaced need not be set.
    const servers = { files: { command: `\${MISSING_OF_FILES}` }, tools: { command: "tools" } };
    home.write(path, JSON.stringify({ ...content, mcp: { servers } }));
    await using editor = await openEditor(home);
    const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [files] });
    await say(editor, sessionId, "hello");
    const tools = { name: "tools", command: "tools", args: [], env: [] };
    expect(home.sent("session/new").at(-1)?.mcpServers).toEqual([tools, files]);
  });

  test("of continuo.yaml with a variable that is not set make an error, which does not report a lost session", async () => {
    const path = ".continuo/continuo.yaml";
    const content = JSON.parse(readFileSync(join(home.path, path), "utf8"));
    const servers = { tools: { command: `\${MISSING_OF_TOOLS}` } };
    const first = await openEditor(home);
    const { sessionId } = await first.agent.request("session/new", { cwd, mcpServers: [] });
    await say(first, sessionId, "hello");
    await first.quit();
    home.write(path, JSON.stringify({ ...content, mcp: { servers } }));
    await using editor = await openEditor(home);
    const again = async (): Promise<void> => {
      await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
      await say(editor, sessionId, "again");
    };
    await expect(again()).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("the variable MISSING_OF_TOOLS is not set"),
    });
  });

  test.each(["session/load", "session/resume"] as const)(
    "reach the agent again after %s, in another process and with another list in the same one",
    async (method) => {
      const first = await openEditor(home);
      const { sessionId } = await first.agent.request("session/new", { cwd, mcpServers: [files] });
      await say(first, sessionId, "hello");
      await first.quit();
      await using editor = await openEditor(home);
      const given = (): readonly unknown[] => home.sent("session/resume").map(({ mcpServers }) => mcpServers);
      const tools: McpServer = { ...files, name: "tools" };
      for (const mcpServers of [[files], [files], [tools], []]) {
        await editor.agent.request(method, { sessionId, cwd, mcpServers });
        await say(editor, sessionId, "again");
      }
      // The agent that has the servers already keeps running.
      expect(given()).toEqual([[files], [tools], []]);
    },
  );
});

describe("an editor that quits", () => {
  test("leaves no program of an agent", async () => {
    const editor = await openEditor(home);
    const id = await newSession(editor);
    say(editor, id, "slow").catch(() => undefined);
    await expect
      .poll(() => editor.updates.some(({ update }) => update.sessionUpdate === "tool_call"))
      .toBe(true);
    await editor.quit();
    expect(home.methods()).toContain("session/cancel");
  });
});
