/** The real agents find the sub-agents of an imported session. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import { openNativeSession } from "@continuo/agents";
import { expect, test } from "vitest";
import { asObject, asObjects, asText, startModelServer, text, tool } from "../../model-servers/index.ts";
import { openCodex } from "../codex/driver.ts";
import { openOpencode } from "../opencode/driver.ts";
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
  // A sub-agent is opened through its parent, and then its turns are read.
  await app.request("thread/resume", { threadId: asText(sessionId) });
  await app.request("thread/resume", { threadId: CHILD });
  const { thread } = await app.request("thread/read", { threadId: CHILD, includeTurns: true });
  expect(asObject(thread)).toMatchObject({ id: CHILD, parentThreadId: sessionId });
  expect(JSON.stringify(asObject(thread).turns)).toContain("tool-done(items=14): aborted");
});

const COUNT = "Count the teas on the shelf.";
const TURNS = [
  {
    user: "Have somebody count the teas.",
    answers: [
      [tool("task", { description: "Count teas", prompt: COUNT, subagent_type: "general" })],
      [text("Seven teas.")],
    ],
  },
  { user: COUNT, answers: [[text("There are seven.")]] },
  { user: "Begin.", answers: [[text("Begun.")]] },
  { user: "And the cups?", answers: [[text("Three cups.")]] },
];

test("opencode shows the sub-agent of an imported session as its child, and continues it", async () => {
  await using there = await makeSandbox();
  await using here = await makeSandbox();
  await using server = await startModelServer({ title: "Teas", turns: TURNS });
  const elsewhere = await openOpencode(there, server.url);
  const bundle = join(here.root, "a.bundle");
  let child = "";
  {
    await using opencode = await elsewhere.serve();
    const sessionId = await opencode.create();
    await opencode.say(sessionId, "Have somebody count the teas.");
    const [made] = asObjects(await opencode.request("GET", `/session/${sessionId}/children`));
    child = asText(made?.id);
    const args = ["session", "export", sessionId, "--bundle", bundle];
    expect(await runContinuo(args, there, elsewhere.environment)).toMatchObject({ code: 0 });
  }
  const own = await openOpencode(here, server.url);
  await using opencode = await own.serve();
  // opencode creates its database with its first session.
  await opencode.say(await opencode.create(), "Begin.");
  const imported = await runContinuo(
    ["import", bundle, "--cwd", here.project, "--json"],
    here,
    own.environment,
  );
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  const sessionId = asText(asObject(JSON.parse(imported.stdout)).sessionId);
  const children = asObjects(await opencode.request("GET", `/session/${sessionId}/children`));
  expect(children).toMatchObject([{ id: child, parentID: sessionId, directory: here.project }]);
  const listed = asObjects(await opencode.request("GET", "/session?roots=true"));
  expect(listed.map(({ id }) => id)).toContain(sessionId);
  expect(listed.map(({ id }) => id)).not.toContain(child);
  const task = JSON.stringify(await opencode.messages(sessionId));
  expect(task).toContain(`"sessionId":"${child}"`);
  await opencode.say(child, "And the cups?");
  const sent = JSON.stringify(server.conversation().at(-1)?.body);
  for (const words of [COUNT, "There are seven.", "And the cups?"]) expect(sent).toContain(words);
});
