/** `continuo approvals` at a store on Postgres: a person lists and answers the questions of an agent of another process. */

import type { Agent } from "@continuo/core/model";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { createHome, type Home, type Run } from "./home.ts";
import { runHere } from "./in-process.ts";

const asking: Agent = {
  name: "asking",
  async execute({ run }, { onEvent, onPermission, signal }) {
    const request = { approvalId: run.runId, toolName: "refund", readOnly: false, options: [] };
    const decision = await onPermission?.(request, { signal });
    await onEvent({ type: "message", content: [{ type: "text", text: decision?.outcome ?? "none" }] });
    return {};
  },
};

let home: Home;
let url: string;
let c: Continuo;

beforeEach(async () => {
  home = createHome();
  url = await newPostgresDatabase();
  c = await openContinuo(url, { agents: [asking], pollMs: 20, store: { migrate: true } });
});

afterEach(async () => {
  await c.close({ graceMs: 0 });
  home[Symbol.dispose]();
});

async function approvals(...args: readonly string[]): Promise<Run> {
  return await runHere(home, ["approvals", ...args, "--store", url]);
}

/** Sends a message, and returns its run and the beginning of the id of the question that it leads to. */
async function ask(sessionId: string) {
  const run = c.session(sessionId, { create: true }).send("refund it", { id: "1" });
  const open = async () => await c.approvals.list({ status: "open", sessionId });
  await expect.poll(async () => (await open()).length, { timeout: 10_000 }).toBe(1);
  return { run, id: (await open())[0]?.id.slice(0, 12) ?? "" };
}

test("questions in Postgres are listed, granted and denied, and each run continues with its answer", async () => {
  expect(await approvals()).toEqual({ code: 0, stdout: "", stderr: "No question waits for an answer.\n" });
  const ann = await ask("ann");
  const bob = await ask("bob");
  const listed = await approvals("list");
  expect([listed.code, listed.stdout]).toEqual([
    0,
    expect.stringContaining(`${ann.id}  refund  asked by asking in ann, now`),
  ]);
  expect(listed.stdout).toContain(`${bob.id}  refund  asked by asking in bob`);
  const json = JSON.parse((await approvals("--json")).stdout) as { sessionId: string }[];
  expect(json.map(({ sessionId }) => sessionId).sort()).toEqual(["ann", "bob"]);

  const granted = await approvals("answer", ann.id, "granted");
  expect([granted.code, granted.stderr]).toEqual([0, ""]);
  expect((await approvals("answer", bob.id, "denied", "--reason", "paid twice")).code).toBe(0);
  expect(await ann.run.result()).toMatchObject({ status: "completed", text: "granted" });
  expect(await bob.run.result()).toMatchObject({ status: "completed", text: "denied" });

  // The first answer counts.
  expect((await approvals("answer", ann.id, "denied")).code).toBe(5);
  expect((await approvals("--status", "denied")).stdout).toContain("(paid twice)");
  expect((await approvals()).stderr).toBe("No question waits for an answer.\n");
});

test("the questions of another workspace of the same database are not listed, and not answered", async () => {
  const { run, id } = await ask("ann");
  expect(await approvals("--workspace", "other")).toMatchObject({ code: 0, stdout: "" });
  expect((await approvals("answer", id, "granted", "--workspace", "other")).code).toBe(3);
  expect((await approvals("answer", id, "granted", "--workspace", "default")).code).toBe(0);
  expect(await run.result()).toMatchObject({ status: "completed", text: "granted" });
});
