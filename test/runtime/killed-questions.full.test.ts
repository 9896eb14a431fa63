/** A coding agent whose process is killed again and again while its question to a person is open. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Resumption } from "@continuo/core/model";
import { openContinuo } from "@continuo/server/runtime";
import { afterEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const KILLS = 5;
const PATIENCE = { timeout: 60_000 };

let child: ChildProcess | undefined;
afterEach(kill);

async function kill(): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

test("a coding agent that is killed at each of its questions continues one native session", {
  timeout: 300_000,
}, async () => {
  const folder = scratchFolder("killed-questions");
  const sessions = join(folder, "native");
  const url = `sqlite:${join(folder, "store.db")}`;
  const program = await bundledProgram("test/runtime/processes/asking-coder.ts");
  await using c = await openContinuo(url);
  const run = c.session("build", { create: true }).send("Build it.", { agent: "coder", id: "1" });
  await run;
  const countOf = async (type: string): Promise<number> =>
    (await c.store.read("build", { types: [type] })).events.length;
  for (let attempt = 1; attempt <= KILLS + 1; attempt++) {
    child = spawn(process.execPath, [program, url, sessions], { stdio: ["ignore", "ignore", "inherit"] });
    await expect.poll(() => countOf("approval_requested"), PATIENCE).toBe(attempt);
    if (attempt <= KILLS) await kill();
  }
  await expect.poll(async () => (await c.approvals.list({ status: "open" })).length, PATIENCE).toBe(1);
  const [question] = await c.approvals.list({ status: "open" });
  await c.approvals.resolve(question?.id ?? "", { outcome: "granted", by: "ann" });
  expect(await run.result()).toMatchObject({ status: "completed", text: "It is built." });

  const { events } = await c.store.read("build", { types: ["session_resumed"] });
  const happened = events.map(({ data }) => (data as Resumption).happened);
  expect(happened).toEqual(["new", ...Array.from({ length: KILLS }, () => "native")]);
  expect(readdirSync(sessions)).toHaveLength(1);
});
