import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chunk, DONE, hello1, type Json, say, spoken, turn } from "./script.ts";
import { scripted } from "./scripted-program.ts";

describe("an ACP agent's program", () => {
  test.each([
    ["initialize", {}, { initialize: [{ silence: true }] }, { startMs: 300 }],
    ["session/new", {}, { "session/new": [{ silence: true }] }, { openMs: 300 }],
  ] as const)(
    "that does not answer %s is ended after a time limit",
    async (method, wish, answers, limits) => {
      const { driver, cwd } = scripted({ answers }, { limits });
      await expect(driver.open({ cwd, ...wish })).rejects.toThrow(`did not answer ${method} within 300 ms`);
    },
  );

  test("is ended with a child that left its group", async () => {
    const { driver, cwd } = scripted({ prompts: { go: [{ startChild: true }, DONE] } });
    const conversation = await driver.open({ cwd });
    const child = Number(spoken(await turn(conversation, "go")));
    expect(isRunning(child)).toBe(true);
    await conversation.close();
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  test("reports its capabilities, once for each version, from a scratch home", async () => {
    const { driver, cwd, sent, starts } = scripted({
      hello: hello1({ list: {}, fork: {} }, { loadSession: true }),
    });
    const can = {
      canList: true,
      canLoad: true,
      canResume: false,
      canContinueLast: true,
      canFork: true,
      canClose: false,
      canDelete: false,
    };
    expect(await driver.capabilities({ cwd })).toEqual(can);
    expect(await driver.capabilities({ cwd })).toEqual(can);
    expect(sent().length).toBe(1);
    const [start] = starts();
    expect(start).toEqual({ home: start?.cwd, cwd: expect.stringContaining("continuo-hello-") });
  });

  test("that had a conversation open is not asked again for its capabilities", async () => {
    const { driver, cwd, starts } = scripted({ hello: hello1({ fork: {} }) });
    const conversation = await driver.open({ cwd });
    await conversation.close();
    expect(await driver.capabilities({ cwd })).toMatchObject({ canFork: true, canList: false });
    expect(starts().length).toBe(1);
  });

  test("that speaks another protocol, does not list, or does not exist is reported as such", async () => {
    const other = scripted({ hello: { protocolVersion: 7 } });
    await expect(other.driver.open({ cwd: other.cwd })).rejects.toThrow("speaks version 7 of ACP");
    const mute = scripted({});
    const list = mute.driver.listSessions({ cwd: mute.cwd });
    await expect(list).rejects.toMatchObject({ code: "unsupported" });
    const absent = scripted({}, { command: ["no-such-agent"] });
    await expect(absent.driver.open({ cwd: absent.cwd })).rejects.toMatchObject({ code: "agent_missing" });
    const cwd = join(mute.cwd, "no-such-folder");
    await expect(mute.driver.open({ cwd })).rejects.toMatchObject({
      code: "folder_missing",
      message: "cannot start scripted: its folder does not exist",
      hint: `Create ${cwd}, or choose another folder.`,
    });
  });

  test("lists its sessions page by page, and deletes them if it offers deletion", async () => {
    const { driver, cwd, sent } = scripted({
      hello: hello1({ list: {}, delete: {} }),
      answers: {
        "session/list": [
          {
            result: {
              sessions: [{ sessionId: "a", cwd: "/x", title: "A", updatedAt: "2026-01-01T00:00:00+01:00" }],
              nextCursor: "2",
            },
          },
        ],
        "session/delete": [{ result: {} }],
      },
    });
    expect(await driver.listSessions({ cwd })).toEqual({
      items: [{ sessionId: "a", cwd: "/x", title: "A", updatedAt: "2025-12-31T23:00:00.000Z" }],
      nextCursor: "2",
    });
    await driver.deleteSession("a", { cwd });
    expect(sent().at(-1)).toMatchObject({ method: "session/delete", params: { sessionId: "a" } });
  });
});

describe("version 2 of the protocol", () => {
  const hello = {
    protocolVersion: 2,
    info: { name: "x", version: "1" },
    capabilities: { session: { fork: {} } },
  };
  const state = (state: string, more: Json = {}) => ({
    update: { sessionUpdate: "state_update", state, ...more },
  });

  test("an agent that dies after its answer to a prompt ends the turn", async () => {
    const prompts = { go: [{ result: { messageId: "m0" } }, state("running"), chunk("so far"), { die: 3 }] };
    const { driver, cwd } = scripted({ hello, prompts }, { protocol: 2 });
    await using conversation = await driver.open({ cwd });
    await expect(turn(conversation, "go")).rejects.toMatchObject({
      code: "agent_failed",
      details: { code: 3 },
    });
  });

  test("is used if the agent answers with it, and the end of a turn is a state", async () => {
    const { driver, cwd, sent } = scripted(
      {
        hello,
        answers: { "session/resume": [{ result: {} }] },
        prompts: {
          go: [
            state("idle", { stopReason: "end_turn" }),
            { result: { messageId: "m0" } },
            state("running"),
            {
              update: {
                sessionUpdate: "agent_message_chunk",
                messageId: "m1",
                content: { type: "text", text: "hal" },
              },
            },
            {
              update: {
                sessionUpdate: "agent_message",
                messageId: "m1",
                content: [{ type: "text", text: "hallo" }],
              },
            },
            state("idle", { stopReason: "refusal" }),
          ],
        },
      },
      { protocol: 2 },
    );
    await using conversation = await driver.open({ cwd, resumeSessionId: "s7", wantHistory: true });
    expect(await turn(conversation, "go")).toEqual([
      { type: "text", delta: "hal", messageId: "m1" },
      { type: "message", content: say("hallo"), messageId: "m1" },
      { type: "turn_completed", stopReason: "refusal" },
    ]);
    expect(sent()[1]).toMatchObject({
      method: "session/resume",
      params: { sessionId: "s7", replayFrom: { type: "start" } },
    });
  });
});

/** Returns false for a dead process that its parent has not yet waited for. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z");
  } catch {
    return false;
  }
}
