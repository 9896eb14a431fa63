import { beforeAll, describe, expect, test } from "vitest";
import type { Operations } from "../../power-cut/operations.ts";
import { firstLoss } from "../../power-cut/power-cut.ts";
import { lossesIn, traceStore } from "./check.ts";

const COUNT = 150;
/** The number of power cuts in which a planted defect must be found. */
const ENOUGH = 300;
const MODES = ["posix", "ordered"] as const;

let operations: Operations;
beforeAll(async () => {
  operations = await traceStore();
});

test("the trace holds every acknowledgement, write and sync", () => {
  const kinds = new Set(operations.acknowledgements.map(({ text }) => text.split(" ")[0]));
  expect(kinds).toEqual(new Set(["ack", "blob", "backup"]));
  expect(operations.syncs.length).toBeGreaterThan(50);
  expect(operations.changes.filter(({ type }) => type === "write").length).toBeGreaterThan(200);
});

test.each(MODES)(
  "power cuts on a disk with %s rules lose no acknowledged event, blob or backup",
  async (mode) => {
    expect(await firstLoss(operations, { mode, seed: 1, count: COUNT }, lossesIn)).toBeUndefined();
  },
);

describe("the check finds", () => {
  test.each(MODES)("a store that never syncs, on a disk with %s rules", async (mode) => {
    const unsynced = { ...operations, syncs: [] };
    expect(await firstLoss(unsynced, { mode, seed: 1, count: ENOUGH }, lossesIn)).toBeDefined();
  });

  test("each folder that is not synced after it got a new entry", async () => {
    const entries = operations.changes.filter((change) => change.type === "entry");
    const folders = new Set(entries.map(({ inode }) => inode));
    expect(folders.size).toBeGreaterThan(4);
    for (const folder of folders) {
      const syncs = operations.syncs.filter(({ inode }) => inode !== folder);
      const loss = await firstLoss(
        { ...operations, syncs },
        { mode: "posix", seed: 1, count: ENOUGH },
        lossesIn,
      );
      expect(loss, `folder ${folder}`).toBeDefined();
    }
  });

  test("synchronous=OFF", async () => {
    const off = await traceStore("off");
    expect(await firstLoss(off, { mode: "posix", seed: 1, count: ENOUGH }, lossesIn)).toBeDefined();
  });
});
