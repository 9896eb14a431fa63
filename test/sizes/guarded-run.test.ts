/** Runs of tests that leave a process behind. */

import { expect, test } from "vitest";
import { guardedRun, orphansOf } from "./guarded-run.ts";

const print = (): void => undefined;

test.runIf(process.platform === "linux")(
  "a run ends although a process that was left behind holds its output",
  async () => {
    const command = ["sh", "-c", "sleep 1000 & echo begun; exit 3"];
    const { code, output } = await guardedRun(command, { quietMs: 100, print });
    expect([code, output]).toEqual([3, "begun\n"]);
  },
);

test("a run is ended when its time is over", async () => {
  const { code } = await guardedRun(["sleep", "1000"], { endsAt: Date.now() / 1_000, print });
  expect(code).toBe(1);
});

test("an orphan is a member of the group whose parent is not in the group; the leader is not an orphan", () => {
  const processes = [
    { pid: 10, parent: 1, group: 10 },
    { pid: 11, parent: 10, group: 10 },
    { pid: 12, parent: 1, group: 10 },
    { pid: 13, parent: 12, group: 10 },
    { pid: 14, parent: 1, group: 14 },
    { pid: 15, parent: 14, group: 14 },
  ];
  expect(orphansOf(processes, 10)).toEqual([12]);
});
