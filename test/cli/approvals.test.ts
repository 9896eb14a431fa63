/** `continuo approvals`: a person at a terminal answers the question of an agent that another program runs. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { jsonSchema, tool } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tool as call, type ModelServer, startModelServer, text } from "../model-servers/index.ts";
import { openServer } from "../server/harness/open-server.ts";
import { createHome, type Home, type Run } from "./home.ts";
import { runHere } from "./in-process.ts";

const TEXT = "seven\u001b[2J\nand eight, with a line that is long";

let home: Home;
let store: OpenedStore;
let model: ModelServer;
let c: Continuo;
const refunds: string[] = [];

beforeEach(async () => {
  home = createHome();
  refunds.length = 0;
  store = await openStore(url(), { migrate: true });
  const asks = [[text("I refund it."), call("refund", { order: TEXT })], [text("Done.")]];
  model = await startModelServer({
    turns: [
      { user: "refund it", answers: asks },
      { user: "and again", answers: asks },
    ],
  });
  const desk = defineAgent({
    name: "desk",
    model: createOpenAICompatible({ name: "fake", baseURL: `${model.url}/v1` })("fake-1"),
    tools: {
      refund: tool({
        inputSchema: jsonSchema<{ order: string }>({
          type: "object",
          properties: { order: { type: "string" } },
        }),
        needsApproval: true,
        execute: ({ order }) => `refund ${refunds.push(order)}`,
      }),
    },
  });
  c = await openContinuo(store, { agents: [desk], pollMs: 20 });
});

afterEach(async () => {
  await c.close({ graceMs: 0 });
  await store.close();
  await model.close();
  home[Symbol.dispose]();
});

function url(): string {
  return `sqlite:${join(home.path, "desk.db")}`;
}

async function approvals(...args: readonly string[]): Promise<Run> {
  const isServer = args.includes("--server");
  const where = isServer ? [] : ["--store", url()];
  return await runHere(home, ["approvals", ...args, ...where]);
}

/** Sends a message, and returns its run and the id of the question that it leads to. */
async function ask(message: string) {
  const run = c.session("customer-7", { create: true }).send(message);
  await expect
    .poll(async () => (await c.approvals.list({ status: "open" })).length, { timeout: 10_000 })
    .toBe(1);
  const [approval] = await c.approvals.list({ status: "open" });
  return { run, id: approval?.id ?? "" };
}

test("a question is listed with its whole input, and its run continues with the answer of the command", async () => {
  expect(await approvals()).toEqual({ code: 0, stdout: "", stderr: "No question waits for an answer.\n" });
  const { run, id } = await ask("refund it");
  const listed = await approvals("list");
  const short = id.slice(0, 12);
  expect(listed).toEqual({
    code: 0,
    stdout: [
      `${short}  refund  asked by desk in customer-7, now`,
      "    order:",
      "      seven␛[2J",
      "      and eight, with a line that is long",
      "",
    ].join("\n"),
    stderr: "Answer one with `continuo approvals answer ID granted` or `denied`.\n",
  });
  const narrow = await runHere(home, ["approvals", "--store", url()], { columns: 20 });
  expect(narrow.stdout.split("\n").filter((line) => /^\S/u.test(line))).toHaveLength(1);
  expect(JSON.parse((await approvals("--json")).stdout)).toEqual(await c.approvals.list({ status: "open" }));
  expect(refunds).toEqual([]);

  const granted = await approvals("answer", short, "granted", "--reason", "paid twice\u001b[2J");
  expect(granted).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(`^${short}  refund  granted by user:\\S+ \\(paid twice␛\\[2J\\)\\n$`, "u"),
    ),
    stderr: "",
  });
  expect(await run.result()).toMatchObject({ status: "completed", text: "Done." });
  expect(refunds).toEqual([TEXT]);

  // The same answer again changes nothing, and a different one is refused.
  expect(await approvals("answer", short, "granted")).toEqual(granted);
  expect(await approvals("answer", short, "denied")).toEqual({
    code: 5,
    stdout: "",
    stderr: expect.stringMatching(/is already granted\nRead it in the list of approvals\.\n$/u),
  });
  expect((await approvals("--status", "all")).stdout).toContain(`${short}  refund`);
  const answered = await approvals("--status", "granted");
  expect(answered.stdout.split("\n").at(-2)).toBe(`    ${granted.stdout.split("  ")[2]?.trimEnd()}`);
});

test("an id that no question has, or that two have, is an error with a hint", async () => {
  const missing = await approvals("answer", "0000dead0000", "granted");
  expect(missing).toEqual({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(
      /there is no approval 0000dead0000\nRun `continuo approvals` to see the open/u,
    ),
  });
  const { id } = await ask("refund it");
  const claim = await store.getClaim(`approval/${id}`);
  if (claim === null) throw new Error("the question is not stored");
  const { updatedAt: _, ...twin } = { ...claim, name: `approval/${id.slice(0, 12)}${"0".repeat(20)}` };
  await store.putClaim(twin);
  // An agent that knows how the id of a harmless question begins could make another question whose id begins with the
  // same digits.
  expect((await approvals("answer", id.slice(0, 11), "granted")).code).toBe(3);
  const ambiguous = await approvals("answer", id.slice(0, 12), "granted");
  expect([ambiguous.code, ambiguous.stderr]).toEqual([
    1,
    expect.stringMatching(/2 approvals begin with [\da-f]{12}\nUse the whole id/u),
  ]);
  await store.putClaim({ ...twin, status: "cancelled", generation: claim.generation + 1 });
  expect((await approvals("answer", id.slice(0, 12), "granted")).code).toBe(1);
  expect(await c.approvals.get(id)).toMatchObject({ status: "open" });
  expect((await approvals("answer", id, "perhaps")).code).toBe(2);
  expect((await approvals("answr", id, "denied")).stderr).toContain("answer");
});

test("a server answers the same questions, and a denied call does not run", async () => {
  const server = await openServer(store, { sessions: () => Promise.resolve(c) });
  try {
    const { run, id } = await ask("and again");
    const at = ["--server", server.url];
    expect((await approvals(...at)).stdout).toContain(`${id.slice(0, 12)}  refund  asked by desk`);
    const denied = await approvals("answer", id.slice(0, 12), "denied", "--reason", "no", ...at);
    expect(denied).toMatchObject({ code: 0, stdout: expect.stringMatching(/ {2}denied by \S+ \(no\)\n$/u) });
    expect((await run.result()).status).toBe("completed");
    expect(refunds).toEqual([]);
    const missing = await approvals("answer", "f".repeat(32), "granted", ...at);
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining("there is no approval fff")]);
  } finally {
    await server.close();
  }
});

test.each([
  ["no JSON", "<html>"],
  ["a list of something else", [{ id: 7 }]],
  ["nothing", null],
])("a server that answers with %s is named, and is no mistake of Continuo", async (_, answer) => {
  const { url: serverUrl, close } = await serving(() => answer);
  for (const args of [["list"], ["answer", "0".repeat(32), "granted"]]) {
    const run = await approvals(...args, "--server", serverUrl);
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringMatching(/is not one of Continuo's server\nCheck/u),
    ]);
  }
  await close();
});

test("an answer that the server did not take over is an error", async () => {
  const { id } = await ask("refund it");
  const [approval] = await c.approvals.list({ status: "open" });
  const { url: serverUrl, close } = await serving(() => ({ ...approval, status: "denied" }));
  const run = await approvals("answer", id, "granted", "--server", serverUrl);
  expect([run.code, run.stdout, run.stderr]).toEqual([1, "", expect.stringContaining("is not one of")]);
  await close();
});

/** A program that listens where Continuo's server is expected. */
async function serving(answer: () => unknown) {
  const server = createServer((_, response) => {
    const body = answer();
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: async () => await promisify(server.close.bind(server))() };
}
