/**
 * The login of an agent in the editor: it is offered if an agent asked for it, the agent makes it, and it costs users
 * of other agents nothing.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { Wire } from "../acp/conformance/wire.ts";
import { hello1, type Json, type Script, type ScriptStep } from "../acp/script.ts";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";

const REFUSED: ScriptStep = { error: { code: -32_000, message: "Authentication required" } };
const SESSION: ScriptStep = { result: { sessionId: "new-1" } };
const METHODS = [
  { id: "browser", name: "Log in with the browser", description: "Opens a page" },
  { id: "in-terminal", name: "Log in within a terminal", type: "terminal", args: ["login"] },
];
const HELLO = { ...hello1({ resume: {} }, { loadSession: true }), authMethods: METHODS };
/** The same agent, which says that it can end its login. */
const ENDS_LOGINS = {
  ...hello1({ resume: {} }, { loadSession: true, auth: { logout: {} } }),
  authMethods: METHODS,
};

/** An agent that stores its login on the disk, as Gemini CLI does. */
const KEPT: Script = {
  hello: HELLO,
  answers: {
    "session/new": [{ ifFile: "logged-in", else: [REFUSED] }, SESSION],
    "session/resume": [{ ifFile: "logged-in", else: [REFUSED] }, { result: {} }],
    authenticate: [
      { when: { methodId: "browser" }, else: [{ error: { code: -32_602, message: "no such way" } }] },
      { touch: "logged-in" },
      { result: {} },
    ],
  },
};

/** An agent whose login ends with its process, and that asks for it only with a prompt. */
const FLEETING: Script = {
  hello: HELLO,
  answers: { authenticate: [{ result: {} }], "session/resume": [{ result: {} }] },
  prompts: {
    "*": [
      { ifAsked: "authenticate", else: [REFUSED] },
      {
        update: {
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: "Here I am." },
        },
      },
      { result: { stopReason: "end_turn" } },
    ],
  },
};

let home: TalkHome;
afterEach(() => home[Symbol.dispose]());

interface Opened extends AsyncDisposable {
  readonly wire: Wire;
  readonly hello: Json;
}

async function open(version: 1 | 2 = 1): Promise<Opened> {
  const cwd = join(home.path, "project");
  const program = { command: [process.execPath, MAIN, "acp"] as const, cwd, env: cleanEnv(home.path) };
  const wire = new Wire(program, version);
  const about = { name: "editor", version: "1" };
  const hello = await wire.get(
    "initialize",
    version === 1
      ? { protocolVersion: 1, clientCapabilities: {}, clientInfo: about }
      : { protocolVersion: 2, capabilities: {}, info: about },
  );
  return {
    wire,
    hello,
    [Symbol.asyncDispose]: async () => {
      await wire[Symbol.asyncDispose]();
      expect(wire.violations).toEqual([]);
    },
  };
}

async function begin({ wire }: Opened): Promise<unknown> {
  return (await wire.get("session/new", { cwd: join(home.path, "project"), mcpServers: [] })).sessionId;
}

const say = ({ wire }: Opened, sessionId: unknown) =>
  wire.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] });

/** Opens a connection in which the agent refuses, so that the next connection offers the login. */
async function refusedOnce(): Promise<void> {
  await using first = await open();
  expect(first.hello.authMethods).toEqual([]);
  const { error } = await say(first, await begin(first));
  // No login was offered in this connection, so the error explains in words what to do.
  expect(error).toMatchObject({ code: -32_603, message: expect.stringContaining("Authentication required") });
}

describe("an agent that needs a login", { timeout: 60_000 }, () => {
  test.each([
    ["keeps it on the disk", KEPT],
    ["keeps it in its process", FLEETING],
  ])("answers after the editor has logged in, if it %s", async (_, script) => {
    home = createTalkHome(script);
    await refusedOnce();
    {
      await using editor = await open();
      expect(editor.hello.authMethods).toEqual([
        { id: "robot:browser", name: "robot: Log in with the browser", description: "Opens a page" },
      ]);
      const id = await begin(editor);
      expect((await say(editor, id)).error).toMatchObject({ code: -32_000 });
      const nonsense = await editor.wire.ask("authenticate", { methodId: "browser" });
      expect(nonsense.error).toMatchObject({ code: -32_602 });
      expect(home.sent("authenticate")).toEqual([]);
      await editor.wire.get("authenticate", { methodId: "robot:browser" });
      expect(home.sent("authenticate")).toEqual([{ methodId: "browser" }]);
      expect((await say(editor, id)).result).toMatchObject({ stopReason: "end_turn" });
    }
    await using later = await open();
    expect(later.hello.authMethods).toEqual([]);
  });

  test("answers after an editor of version 2 has logged in, and the editor can log out again", async () => {
    home = createTalkHome({
      ...FLEETING,
      hello: ENDS_LOGINS,
      answers: { ...FLEETING.answers, logout: [{ result: {} }] },
    });
    await refusedOnce();
    await using editor = await open(2);
    expect(editor.hello.authMethods).toMatchObject([{ type: "agent", methodId: "robot:browser" }]);
    await editor.wire.get("auth/login", { methodId: "robot:browser" });
    const id = await begin(editor);
    const ends = (): readonly Json[] => editor.wire.updatesOf(id).filter(({ state }) => state === "idle");
    await say(editor, id);
    await expect.poll(ends, { timeout: 30_000 }).toMatchObject([{ stopReason: "end_turn" }]);
    await editor.wire.get("auth/logout", {});
    await say(editor, id);
    await expect
      .poll(ends, { timeout: 30_000 })
      .toMatchObject([{ stopReason: "end_turn" }, { stopReason: "error", error: { code: -32_000 } }]);
  });

  test("ends it when the editor of version 1 logs out, also in a later connection", async () => {
    home = createTalkHome({
      ...KEPT,
      hello: ENDS_LOGINS,
      answers: { ...KEPT.answers, logout: [{ remove: "logged-in" }, { result: {} }] },
    });
    await refusedOnce();
    const claimOf = ({ hello }: Opened): unknown => (hello.agentCapabilities as Json).auth;
    {
      await using editor = await open();
      expect(claimOf(editor)).toEqual({ logout: {} });
      await editor.wire.get("authenticate", { methodId: "robot:browser" });
      expect((await say(editor, await begin(editor))).result).toMatchObject({ stopReason: "end_turn" });
    }
    {
      await using editor = await open();
      expect(claimOf(editor)).toEqual({ logout: {} });
      const id = await begin(editor);
      expect((await say(editor, id)).result).toMatchObject({ stopReason: "end_turn" });
      await editor.wire.get("logout", {});
      expect(home.sent("logout")).toEqual([{}]);
      expect(existsSync(join(home.path, "logged-in"))).toBe(false);
      expect((await say(editor, id)).error?.message).toContain("Authentication required");
      // There is nothing left to end, so the method is unknown again.
      expect((await editor.wire.ask("logout", {})).error?.code).toBe(-32_601);
    }
  });

  test("that cannot end it claims no logout, and a logout names the agent and what to do", async () => {
    home = createTalkHome(KEPT);
    await refusedOnce();
    {
      await using editor = await open();
      expect(editor.hello.agentCapabilities).not.toHaveProperty("auth");
      expect((await editor.wire.ask("logout", {})).error?.code).toBe(-32_601);
    }
    await using editor = await open(2);
    await editor.wire.get("auth/login", { methodId: "robot:browser" });
    const { error } = await editor.wire.ask("auth/logout", {});
    expect(error).toMatchObject({
      code: -32_602,
      message: expect.stringMatching(/robot cannot end its login.*Log out in robot itself/u),
      data: { code: "unsupported" },
    });
    expect(home.sent("logout")).toEqual([]);
  });

  test("that refuses the login gives the reason, and can still not be used", async () => {
    home = createTalkHome({
      ...KEPT,
      answers: {
        ...KEPT.answers,
        authenticate: [{ error: { code: -32_603, message: "the page was closed" } }],
      },
    });
    await refusedOnce();
    await using editor = await open();
    const { error } = await editor.wire.ask("authenticate", { methodId: "robot:browser" });
    expect(error?.message).toContain("the page was closed");
    expect(existsSync(join(home.path, "logged-in"))).toBe(false);
  });
});

describe("an editor whose agents need no login", { timeout: 60_000 }, () => {
  test("is offered no login, even if the agent has some", async () => {
    home = createTalkHome({ hello: HELLO });
    for (const _ of [1, 2]) {
      await using editor = await open();
      expect(editor.hello.authMethods).toEqual([]);
      expect((await say(editor, await begin(editor))).result).toMatchObject({ stopReason: "end_turn" });
    }
    expect(home.methods()).not.toContain("authenticate");
  });

  test("is offered no login by an agent that needs one only to list its sessions, as Codex does", async () => {
    home = createTalkHome({
      hello: { ...hello1({ resume: {}, list: {} }, { loadSession: true }), authMethods: METHODS },
      answers: { "session/list": [REFUSED] },
    });
    for (const _ of [1, 2]) {
      await using editor = await open();
      expect(editor.hello.authMethods).toEqual([]);
      expect((await say(editor, await begin(editor))).result).toMatchObject({ stopReason: "end_turn" });
      expect((await editor.wire.get("session/list", {})).sessions).toHaveLength(_);
    }
    expect(home.methods()).not.toContain("session/list");
  });
});
