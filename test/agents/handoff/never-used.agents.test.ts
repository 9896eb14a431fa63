/**
 * An opencode that never ran, and one with settings and a database but without any session: Continuo writes the model
 * that opencode would choose by itself, so that opencode shows the session and continues it.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { handOff, openSessionAdapter, type Places } from "@continuo/agents";
import { describe, expect, test } from "vitest";
import { startModelServer } from "../../model-servers/index.ts";
import { openOpencode } from "../opencode/driver.ts";
import { proveResumption } from "../proof.ts";
import { makeSandbox } from "../sandbox.ts";

const FIXTURE = join(import.meta.dirname, "../../fixtures/claude/parallel-tools");
const SOURCE = "claude:5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a";

test.each([
  { what: "its settings name", settings: {}, model: "scripted-1" },
  {
    what: "it chooses by itself",
    settings: { model: undefined, small_model: undefined },
    model: "scripted-2",
  },
])("a handed-over session names the model that $what", async ({ settings, model }) => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({});
  const opencode = await openOpencode(sandbox, server.url, settings);
  // Makes the database.
  expect(await opencode.command(["session", "list"])).toMatchObject({ code: 0 });
  const claude = join(sandbox.root, "claude");
  cpSync(join(FIXTURE, "home"), claude, { recursive: true });
  const env = {
    ...opencode.environment,
    CLAUDE_CONFIG_DIR: claude,
    CONTINUO_HOME: join(sandbox.root, "continuo"),
  };
  const places: Places = { home: sandbox.root, env };
  const made = await handOff(SOURCE, { to: "opencode", cwd: sandbox.project, places, verifyBy: "own" });
  const sessionId = made.sessionId ?? "";
  {
    const sessionFile = opencode.database;
    await using adapter = openSessionAdapter({ format: "opencode", sessionFile, sessionId, places });
    await adapter.appendUserMessage("And the kettle?");
    await adapter.appendAssistantMessage("It boils.");
  }
  const created = openSessionAdapter({
    format: "opencode",
    places,
    create: { cwd: sandbox.project, title: "Teas" },
  });
  for (const words of ["Green?", "Black?"]) {
    await created.appendUserMessage(words);
    await created.appendAssistantMessage("Yes.");
  }
  const other = (await created.getMetadata()).sessionId;
  await created.close();
  await using running = await opencode.serve();
  expect(await running.messages(other)).toHaveLength(4);
  expect((await running.messages(sessionId)).length).toBeGreaterThan(5);
  const said = { agent: "opencode", places, server } as const;
  for (const id of [sessionId, other]) {
    const say = (text: string) =>
      running.request("POST", `/session/${id}/message`, { parts: [{ type: "text", text }] });
    await proveResumption({ ...said, sessionId: id, resume: say });
  }
  const asked = server.requests.filter(({ kind }) => kind === "answer").map(({ body }) => body.model);
  expect(new Set(asked)).toEqual(new Set([model]));
});

test("if no model is known, the hand-over explains what to do, and writes nothing", async () => {
  await using sandbox = await makeSandbox();
  const opencode = await openOpencode(sandbox, "http://127.0.0.1:9");
  await opencode.command(["session", "list"]);
  writeFileSync(join(sandbox.root, "config/opencode/opencode.json"), "{}");
  const claude = join(sandbox.root, "claude");
  cpSync(join(FIXTURE, "home"), claude, { recursive: true });
  const env = { ...opencode.environment, CLAUDE_CONFIG_DIR: claude };
  const places: Places = { home: sandbox.root, env };
  const handing = handOff(SOURCE, { to: "opencode", cwd: sandbox.project, places, verifyBy: "own" });
  await expect(handing).rejects.toMatchObject({
    code: "unsupported",
    hint: expect.stringContaining("opencode.json"),
  });
  const listed = await opencode.command(["session", "list", "--format", "json"]);
  expect(listed.stdout.trim()).toBe("");
});

describe("an opencode that never ran", () => {
  test.each(["a folder without git", "a repository that it has not seen"])(
    "continues a hand-over in %s",
    async (where) => {
      await using never = await neverRan();
      const { sandbox, opencode, places } = never;
      if (where.includes("repository")) makeRepository(sandbox.project);
      expect(existsSync(opencode.database)).toBe(false);
      const made = await handOff(SOURCE, {
        to: "opencode",
        cwd: sandbox.project,
        places,
        verifyBy: "own",
        programs: never.programs,
      });
      expect(made.madeDatabase).toBe(opencode.database);
      expect(statSync(opencode.database).mode & 0o777).toBe(0o600);
      expect(readdirSync(dirname(opencode.database))).toEqual(["opencode.db"]);
      const sessionId = made.sessionId ?? "";
      const listed = await opencode.command(["session", "list", "--format", "json"], {
        cwd: sandbox.project,
      });
      expect(JSON.parse(listed.stdout).map(({ id }: { id: string }) => id)).toEqual([sessionId]);
      await using running = await opencode.serve();
      const resume = (text: string) =>
        running.request("POST", `/session/${sessionId}/message`, { parts: [{ type: "text", text }] });
      await proveResumption({ agent: "opencode", places, sessionId, server: never.server, resume });
      const again = await handOff(SOURCE, {
        to: "opencode",
        cwd: sandbox.project,
        places,
        verifyBy: "own",
        programs: never.programs,
      });
      expect([again.madeDatabase, again.sessionId === sessionId]).toEqual([null, false]);
    },
  );

  test("gets no database if the session cannot be written into it", async () => {
    await using never = await neverRan();
    const { sandbox, opencode, places } = never;
    makeRepository(sandbox.project);
    const cwd = join(sandbox.project, "below");
    mkdirSync(cwd);
    const handing = handOff(SOURCE, {
      to: "opencode",
      cwd,
      places,
      verifyBy: "own",
      programs: never.programs,
    });
    await expect(handing).rejects.toMatchObject({
      code: "unsupported",
      hint: "Start opencode once in that folder.",
    });
    expect(existsSync(dirname(opencode.database))).toBe(false);
  });

  async function neverRan() {
    const sandbox = await makeSandbox();
    const server = await startModelServer({});
    const opencode = await openOpencode(sandbox, server.url);
    const claude = join(sandbox.root, "claude");
    cpSync(join(FIXTURE, "home"), claude, { recursive: true });
    const env = {
      ...opencode.environment,
      CLAUDE_CONFIG_DIR: claude,
      CONTINUO_HOME: join(sandbox.root, "continuo"),
    };
    const places: Places = { home: sandbox.root, env };
    return {
      sandbox,
      server,
      opencode,
      places,
      programs: { opencode: opencode.program },
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await sandbox[Symbol.asyncDispose]();
      },
    };
  }
});

function makeRepository(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.email=a@b", "-c", "user.name=x", ...args]);
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "a beginning");
}
