/** The sub-agents of an imported session, as the real agent finds them. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import { openNativeSession } from "@continuo/agents";
import { expect, test } from "vitest";
import { asObject, asText, startModelServer } from "../../model-servers/index.ts";
import { openCodex } from "../codex/driver.ts";
import { runContinuo } from "../proof.ts";
import { makeSandbox } from "../sandbox.ts";

const CASE = join(import.meta.dirname, "../../formats/codex/sub-agent/home");
const PARENT = "01a20050-baa6-7ff1-8449-3131409c2940";
const CHILD = "01a20050-baf5-7330-87a1-0eb5a788eb57";

test("Codex finds the sub-agent of a session that was imported from a bundle", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({ turns: [] });
  const source = join(sandbox.root, "elsewhere");
  cpSync(CASE, source, { recursive: true });
  const codex = await openCodex(sandbox, server.url);
  const there = { CODEX_HOME: source };
  const here = { CODEX_HOME: codex.home };
  const packed = await runContinuo(["session", "export", PARENT, "--bundle", "a.bundle"], sandbox, there);
  expect(packed).toMatchObject({ code: 0 });
  const args = ["import", "a.bundle", "--cwd", ".", "--no-verify", "--json"];
  const imported = await runContinuo(args, sandbox, here);
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  const { sessionId } = asObject(JSON.parse(imported.stdout));
  const places = { home: sandbox.root, env: here };
  using opened = await openNativeSession(`codex:${asText(sessionId)}`, { places });
  expect(opened.details.subagents).toMatchObject([{ id: CHILD, description: "/root/kid" }]);

  await using app = await codex.appServer();
  // A sub-agent is opened through its parent; its turns are read then.
  await app.request("thread/resume", { threadId: asText(sessionId) });
  await app.request("thread/resume", { threadId: CHILD });
  const { thread } = await app.request("thread/read", { threadId: CHILD, includeTurns: true });
  expect(asObject(thread)).toMatchObject({ id: CHILD, parentThreadId: sessionId });
  expect(JSON.stringify(asObject(thread).turns)).toContain("tool-done(items=14): aborted");
});
