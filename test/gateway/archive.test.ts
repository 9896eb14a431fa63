/** Sessions that an editor archives, at the gateway and at the command line. */

import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID, CONVERSATION, claudeFile, claudeText, writeSessions } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor, spokenIn } from "./editor.ts";

let home: TalkHome;
let cwd: string;
beforeEach(() => {
  home = createTalkHome();
  cwd = join(home.path, "project");
});

function say({ agent }: Editor, sessionId: string, text: string) {
  return agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

/** A session of Claude Code that continues in another agent. Returns its id. */
async function movedToRobot(editor: Editor, id: string): Promise<string> {
  home.write("app/readme", "");
  const text = claudeText(id, CONVERSATION).replaceAll("/home/ann/app", join(home.path, "app"));
  home.write(claudeFile(id), text);
  const sessionId = `claude:${id}`;
  await editor.agent.request("session/resume", { sessionId, cwd });
  const choice = { sessionId, configId: "agent", value: "robot" };
  await editor.agent.request("session/set_config_option", choice);
  await say(editor, sessionId, "hello");
  return sessionId;
}

describe("an archived session", () => {
  test("is only in lists that ask for it, keeps its id and its messages, and can be restored", async () => {
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
    await using editor = await openEditor(home);
    const sessionId = `claude:${CLAUDE_ID}`;
    const archivedIn = async (archived?: string) => {
      const { sessions } = await editor.agent.request(
        "session/list",
        archived === undefined ? {} : { archived },
      );
      return sessions.filter((one) => one.sessionId === sessionId).map((one) => one.archived);
    };
    const { sessions: before } = await editor.agent.request("session/list", {});
    await editor.agent.request("session/archive", { sessionId });
    await editor.agent.request("session/archive", { sessionId });
    expect(await archivedIn()).toEqual([]);
    expect(await archivedIn("exclude")).toEqual([]);
    expect(await archivedIn("include")).toEqual([true]);
    expect(await archivedIn("only")).toEqual([true]);
    await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    expect(spokenIn(editor.take())).toContain("I **look**");
    await editor.agent.request("session/unarchive", { sessionId });
    await editor.agent.request("session/unarchive", { sessionId });
    expect((await editor.agent.request("session/list", {})).sessions).toEqual(before);
    await expect(archivedIn("sometimes")).rejects.toMatchObject({ code: -32_602 });
    for (const method of ["session/archive", "session/unarchive", "session/status"] as const) {
      await expect(editor.agent.request(method, { sessionId: "claude:nobody" })).rejects.toMatchObject({
        code: -32_002,
      });
    }
  });

  test("that continued with another agent is not listed under its first agent", async () => {
    await using editor = await openEditor(home);
    const sessionId = await movedToRobot(editor, "4bf3c2a1-0000-4000-8000-00000000000d");
    await editor.agent.request("session/archive", { sessionId });
    const { sessions } = await editor.agent.request("session/list", {});
    expect(sessions.map((one) => one.sessionId)).toEqual([]);
    const { sessions: archived } = await editor.agent.request("session/list", { archived: "only" });
    expect(archived).toMatchObject([{ sessionId, _meta: { continuo: { agent: "robot" } } }]);
  });

  test("ends its running turn, and changes its status from open to saved", async () => {
    await using editor = await openEditor(home);
    const id = (await editor.agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
    const statusOf = async () => (await editor.agent.request("session/status", { sessionId: id })).status;
    await say(editor, id, "hello");
    expect(await statusOf()).toBe("open");
    const running = say(editor, id, "slow");
    await expect
      .poll(() => editor.updates.some(({ update }) => update.sessionUpdate === "tool_call"))
      .toBe(true);
    await editor.agent.request("session/archive", { sessionId: id });
    expect(await running).toEqual({ stopReason: "cancelled" });
    expect(await statusOf()).toBe("saved");
    expect(
      (await editor.agent.request("session/list", {})).sessions.map((one) => one.sessionId),
    ).not.toContain(id);
  });

  test("is left out of `continuo list` too, and the command restores it", async () => {
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
    await using editor = await openEditor(home);
    const sessionId = `claude:${CLAUDE_ID}`;
    await editor.agent.request("session/archive", { sessionId });
    const listed = await runHere(home, ["list"]);
    expect(listed.stdout).not.toContain(CLAUDE_ID);
    expect(listed.stdout + listed.stderr).toContain("1 archived: --archived shows them.");
    expect((await runHere(home, ["list", "--archived"])).stdout).toContain(CLAUDE_ID);
    const back = await runHere(home, ["session", "unarchive", CLAUDE_ID]);
    expect(back).toMatchObject({ code: 0, stdout: "unarchived\n" });
    expect((await runHere(home, ["list", "--limit", "1"])).stdout).toContain(CLAUDE_ID);
    expect((await editor.agent.request("session/list", {})).sessions).toMatchObject([{ sessionId }]);
    const away = await runHere(home, ["session", "archive", CLAUDE_ID]);
    expect(away).toMatchObject({ code: 0, stdout: "archived\n" });
    expect((await editor.agent.request("session/list", {})).sessions).toEqual([]);
  });

  test("does not count in a list of the newest sessions", async () => {
    writeSessions(home);
    const idsOf = async (...words: string[]) => {
      const { stdout } = await runHere(home, ["list", ...words, "--json"]);
      return (JSON.parse(stdout) as readonly { readonly sessionId: string }[]).map((one) => one.sessionId);
    };
    const [newest = "", ...others] = await idsOf();
    await runHere(home, ["session", "archive", newest]);
    expect(await idsOf("--limit", "2")).toEqual(others);
  });

  test("of Codex is taken back by Codex where Codex archived it", async () => {
    writeSessions(home);
    const name = `rollout-2025-01-06T08-00-00-${CODEX_ID}.jsonl`;
    mkdirSync(join(home.path, ".codex/archived_sessions"));
    renameSync(
      join(home.path, ".codex/sessions/2025/01/06", name),
      join(home.path, ".codex/archived_sessions", name),
    );
    await using editor = await openEditor(home);
    const sessionId = `codex:${CODEX_ID}`;
    const { sessions } = await editor.agent.request("session/list", { archived: "only" });
    expect(sessions).toMatchObject([{ sessionId, archived: true }]);
    await editor.agent.request("session/archive", { sessionId });
    await expect(editor.agent.request("session/unarchive", { sessionId })).rejects.toMatchObject({
      data: { code: "unsupported", hint: `Run \`codex unarchive ${CODEX_ID}\`, if codex has that command.` },
    });
  });
});
