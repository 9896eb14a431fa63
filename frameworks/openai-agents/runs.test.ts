/** Real runs of the SDK with a scripted model: killed between every two calls, and continued by another process. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ContinuoSession } from "../../packages/openai-agents/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";
import { newProject, type Project, saveFiles, saveProgram } from "../project.ts";

let project: Project;
beforeEach(() => {
  project = newProject("openai-agents");
});
afterEach(() => project.remove());

interface Ending {
  readonly signal: NodeJS.Signals | null;
  readonly printed: string;
}

async function work(url: string, sessionId: string, killAt = 0): Promise<Ending> {
  const program = join(import.meta.dirname, "agent-program.ts");
  const child = spawn(process.execPath, [program, url, sessionId, String(killAt)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  const [, signal] = await once(child, "close");
  return { signal, printed };
}

const WHOLE = [
  "user",
  "function_call call 0",
  "function_call_result call 0",
  "function_call call 1",
  "function_call_result call 1",
  "assistant",
];

test("a run that is killed between any two calls is done by the next process, with each item once", async () => {
  const url = `sqlite:${join(project.folder, "runs.db")}`;
  const calls = Number((await work(url, "whole")).printed);
  expect(calls).toBeGreaterThanOrEqual(5);
  for (let killAt = 1; killAt <= calls; killAt++) {
    expect((await work(url, `killed at ${killAt}`, killAt)).signal).toBe("SIGKILL");
    expect((await work(url, `killed at ${killAt}`)).signal).toBeNull();
  }
  await using store = await openStore(url);
  const { items: sessions } = await store.listSessions({ agent: "openai-agents" });
  expect(sessions).toHaveLength(calls + 1);
  for (const { sessionId } of sessions) {
    const items = await new ContinuoSession(store, { sessionId }).getItems();
    const said = items.map((item) => {
      if ("callId" in item) return `${item.type} ${item.callId}`;
      return "role" in item ? item.role : item.type;
    });
    expect(said).toEqual(WHOLE);
  }
});

test("the guide is followed: a run that is killed is started again, and continued after an approval in another process", async () => {
  const guide = saveFiles(project, "docs/guides/openai-agents.md");
  const [, printed] = /```text\n([\s\S]*?)```/u.exec(guide) ?? [];
  expect(await project.run("ask.js", { killAt: "thinking …" })).toBe("thinking …\n");
  expect((await project.run("ask.js")) + (await project.run("approve.js"))).toBe(printed);
});

test("the program of the package's page prints what it should, more at its second start", async () => {
  saveProgram(project, "packages/openai-agents/README.md");
  expect(await project.run("main.js")).toBe("1\n");
  expect(await project.run("main.js")).toBe("2\n");
});
