/**
 * An opencode that has its settings and its database, and in which no session was ever begun: what Continuo writes
 * names the model that opencode would take by itself, so that opencode shows the session and goes on with it.
 */

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { handOff, openSessionAdapter, type Places } from "../../../src/agents/index.ts";
import { startModelServer } from "../../model-servers/index.ts";
import { openOpencode } from "../opencode/driver.ts";
import { proveResumption } from "../proof.ts";
import { makeSandbox } from "../sandbox.ts";

const FIXTURE = join(import.meta.dirname, "../../fixtures/claude/parallel-tools");
const SOURCE = "claude:5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a";

test.each([
  { what: "its settings name", settings: {}, model: "scripted-1" },
  { what: "it takes by itself", settings: { model: undefined, small_model: undefined }, model: "scripted-2" },
])("a session that is handed over is of the model that $what", async ({ settings, model }) => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({});
  const opencode = await openOpencode(sandbox, server.url, settings);
  // Makes the database.
  expect(await opencode.command(["session", "list"])).toMatchObject({ code: 0 });
  const claude = join(sandbox.root, "claude");
  cpSync(join(FIXTURE, "home"), claude, { recursive: true });
  const env = {
    ...opencode.environment,
    ...{ CLAUDE_CONFIG_DIR: claude, CONTINUO_HOME: join(sandbox.root, "continuo") },
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
  const said = { agent: "opencode", places, tellsErrors: false, server } as const;
  for (const id of [sessionId, other]) {
    const say = (text: string) =>
      running.request("POST", `/session/${id}/message`, { parts: [{ type: "text", text }] });
    await proveResumption({ ...said, sessionId: id, resume: say });
  }
  const asked = server.requests.filter(({ kind }) => kind === "answer").map(({ body }) => body.model);
  expect(new Set(asked)).toEqual(new Set([model]));
});

test("where nothing tells a model the hand-over says what to do, and writes nothing", async () => {
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
