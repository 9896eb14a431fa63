import { AGENT_NAMES } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { numbersOfRun } from "../sizes/rotation.ts";
import { type TracedEdits, traceEdits } from "./native-edits.ts";
import type { Operations } from "./operations.ts";
import { firstLoss } from "./power-cut.ts";

const COUNT = numbersOfRun(40).length;
/** The number of power cuts in which a planted defect must be found. */
const ENOUGH = 300;
const EDITS = ["create", "append", "fork", "rename", "repair", "delete", "restore", "hand-over", "import"];

describe.each(AGENT_NAMES)("the native edits of %s", (agent) => {
  let traced: TracedEdits;
  beforeAll(async () => {
    traced = await traceEdits(agent);
  });
  afterAll(() => traced[Symbol.dispose]());

  test("are all acknowledged in the trace", () => {
    const edits = traced.operations.acknowledgements.map(({ text }) => text.split(" ")[0]);
    expect(edits).toEqual(expect.arrayContaining(EDITS));
  });

  test.each(["posix", "ordered"] as const)(
    "are kept through power cuts on a disk with %s rules after they were acknowledged",
    async (mode) => {
      const loss = await firstLoss(traced.operations, { mode, seed: 1, count: COUNT }, traced.check);
      expect(loss).toBeUndefined();
    },
  );

  test("are lost where a folder that gained a folder is not synced", async () => {
    const operations = withoutSyncsOfGains(traced.operations);
    const cuts = { mode: "posix", seed: 1, count: ENOUGH } as const;
    expect(await firstLoss(operations, cuts, traced.check)).toBeDefined();
  });
});

/** Leaves out syncs of folders that gained a folder: a disk after Node's own recursive `mkdir` has none. */
function withoutSyncsOfGains(operations: Operations): Operations {
  const gains = operations.changes.filter(
    (change) => change.type === "entry" && change.kind === "folder" && change.begin >= 0,
  );
  const dropped = new Set(
    gains.map(({ inode, end }) => operations.syncs.find((sync) => sync.inode === inode && sync.begin > end)),
  );
  return { ...operations, syncs: operations.syncs.filter((sync) => !dropped.has(sync)) };
}
