/** Lists of approvals in a store where many runs ended with open questions: the work of the list is bounded. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Write } from "@continuo/core/model";
import { type Approval, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { withCalls } from "../intercepted.ts";
import { scratchFolder } from "../scratch-folder.ts";

/** One list does not close all of them. */
const QUESTIONS = 1_150;

/** The number of commits in a write-ahead log: a frame with the size of the database ends a transaction. */
function commitsIn(path: string): number {
  const wal = readFileSync(path);
  const frameBytes = 24 + wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  let commits = 0;
  for (let at = 32; at + frameBytes <= wal.length; at += frameBytes) {
    const isNew = wal.subarray(at + 8, at + 16).equals(salt);
    if (isNew && wal.readUInt32BE(at + 4) > 0) commits++;
  }
  return commits;
}

test("a list closes the questions of ended runs in few commits, at most a thousand at once, and shows none as open", async () => {
  const folder = scratchFolder("questions-of-ended-runs");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "store.db");
  await using store = await openStore(`sqlite:${path}`);
  await store.createSession({ sessionId: "s" });
  const ask = (n: number): readonly Write[] => {
    const runId = `r${n}`;
    const request = { approvalId: `call-${n}`, toolName: "refund", options: [] };
    const requestedAt = new Date(n).toISOString();
    const data = { sessionId: "s", runId, agent: "desk", request, metadata: { n }, requestedAt };
    return [
      { type: "new_run", run: { runId, agent: "desk", input: "refund it" } },
      { type: "run", runId, to: "cancelled" },
      { type: "claim", name: `approval/${n}`, owner: runId, generation: 1, status: "open", data },
    ];
  };
  for (let n = 0; n < QUESTIONS; n += 230) {
    const also = Array.from({ length: 230 }, (_, at) => ask(n + at)).flat();
    await store.append("s", [], { also });
  }

  const calls = new Map<string, number>();
  const counted = withCalls(store, ({ method, proceed }) => {
    calls.set(method, (calls.get(method) ?? 0) + 1);
    return proceed();
  });
  await using c = await openContinuo(counted, { work: false });
  const wal = `${path}-wal`;
  const list = async (): Promise<readonly [readonly Approval[], number, number]> => {
    calls.clear();
    const before = commitsIn(wal);
    const open = await c.approvals.list({ status: "open" });
    return [open, calls.get("putClaim") ?? 0, commitsIn(wal) - before];
  };
  const [open, writes, commits] = await list();
  expect([open, writes]).toEqual([[], 1_000]);
  expect(commits).toBeGreaterThan(0);
  expect(commits).toBeLessThan(100);
  const [still, rest] = await list();
  expect([still, rest]).toEqual([[], QUESTIONS - 1_000]);
  const [none, more] = await list();
  expect([none, more]).toEqual([[], 0]);
  expect(calls.get("getRun") ?? 0).toBe(0);
  const all = await c.approvals.list();
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
});
