/**
 * A desk that is killed right after a grant was acknowledged. A call that had not begun uses the grant; the person is asked
 * again only about a call that began and has no result, and the new question names the first.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import type { Store } from "@continuo/core/model";
import type { Approval } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { afterEach, expect, test } from "vitest";
import { startModelServer, text, tool } from "../model-servers/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const KILLS = Number(process.env.CONTINUO_KILLS ?? 8);
const PATIENCE = { timeout: 60_000 };

let child: ChildProcess | undefined;
afterEach(async () => await kill());

async function kill(): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child?.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}

async function start(args: readonly string[]): Promise<string> {
  const own = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  child = own;
  const port = await new Promise<string>((resolve) => {
    createInterface(own.stdout).on("line", (line) => {
      const [, named] = /^port (\d+)$/u.exec(line) ?? [];
      if (named !== undefined) resolve(named);
    });
  });
  return `http://127.0.0.1:${port}`;
}

interface Customer {
  ask(address: string): void;
  question(address: string): Promise<Approval | undefined>;
  grant(address: string, approval: Approval): Promise<void>;
}

function customer(user: string): Customer {
  const headers = { "x-user": user, "content-type": "application/json" };
  const post = (url: string, body: unknown): Promise<Response> =>
    fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return {
    // The stream ends with the program.
    ask: (address) =>
      void post(`${address}/chat`, { id: user, text: "refund" })
        .then((response) => response.text())
        .catch(() => undefined),
    question: async (address) => {
      const response = await fetch(`${address}/continuo/v1/approvals`, { headers });
      return ((await response.json()) as Approval[])[0];
    },
    grant: async (address, { id }) => {
      const { status } = await post(`${address}/continuo/v1/approvals/${id}`, { outcome: "granted" });
      expect(status).toBe(200);
    },
  };
}

async function countOf(store: Store, sessionId: string, type: string): Promise<number> {
  return (await store.read(sessionId, { types: [type] })).events.length;
}

test("a person who granted a call is asked again only if it began before the kill and has no result", {
  timeout: 600_000,
}, async () => {
  const folder = scratchFolder("killed-grants");
  const refunds = join(folder, "refunds");
  writeFileSync(refunds, "");
  const url = `sqlite:${join(folder, "store.db")}`;
  await using models = await startModelServer({
    turns: [{ user: "refund", answers: [[tool("refund", { order: "7" })], [text("It is refunded.")]] }],
  });
  const program = await bundledProgram("test/runtime/processes/desk.ts");
  const args = [program, url, `${models.url}/v1`, refunds];
  const paid = (): number => readFileSync(refunds, "utf8").split("\n").length - 1;
  for (let round = 0; round < KILLS; round++) {
    const sessionId = `customer-u${round}`;
    const ann = customer(`u${round}`);
    const before = paid();
    const dying = await start(args);
    ann.ask(dying);
    let first: Approval | undefined;
    const isAsked = async (): Promise<boolean> => {
      first = await ann.question(dying);
      return first !== undefined;
    };
    await expect.poll(isAsked, PATIENCE).toBe(true);
    await ann.grant(dying, first as Approval);
    // Every second kill comes when the tool has just run.
    if (round % 2 === 0) await wait(round / 2);
    else while (paid() === before) await turn();
    await kill();
    await using store = await openStore(url);
    const claim = await store.getClaim(`approval/${first?.id}`);
    const hasBegun = (claim?.data as { readonly usedBy?: string } | undefined)?.usedBy !== undefined;
    const hasResult = (await countOf(store, sessionId, "tool_call_completed")) > 0;
    const ran = paid() - before;
    const next = await start(args);
    let again: Approval | undefined;
    const isOver = async (): Promise<boolean> => (await countOf(store, sessionId, "run_completed")) > 0;
    const isAskedOrOver = async (): Promise<boolean> => {
      again = await ann.question(next);
      return again !== undefined || (await isOver());
    };
    await expect.poll(isAskedOrOver, PATIENCE).toBe(true);
    const isUnknown = hasBegun && !hasResult;
    expect([round, again?.grantedBefore]).toEqual([round, isUnknown ? first?.id : undefined]);
    expect([round, again !== undefined]).toEqual([round, isUnknown]);
    if (again !== undefined) await ann.grant(next, again);
    await expect.poll(isOver, PATIENCE).toBe(true);
    expect([round, paid() - before]).toEqual([round, isUnknown ? ran + 1 : 1]);
    await kill();
  }
});
