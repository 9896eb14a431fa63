import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openSmallDisk } from "./small-disk.ts";
import { editOnSmallDisk } from "./small-disk-edits.ts";

test("native edits on a full or read-only disk are refused with a code and a hint, and change nothing", async (context) => {
  using disk = openSmallDisk();
  if (disk === null) return context.skip("this machine mounts nothing");
  const { faults, refused } = await editOnSmallDisk(disk, "codex", [0, 2]);
  expect(faults).toEqual([]);
  expect(refused).toBeGreaterThan(8);
});

test("a store on a full disk refuses blobs and events with a code and a hint", async (context) => {
  using disk = openSmallDisk();
  if (disk === null) return context.skip("this machine mounts nothing");
  await using store = await openStore(`sqlite:${disk.folder}/store.db`);
  const { logId } = await store.createLog();
  const writes = [
    () => store.putBlob(new Uint8Array(1_000_000)),
    () => store.putBlob(new Uint8Array(200_000)),
    () => store.append(logId, [{ type: "custom", data: { name: "x".repeat(200_000) } }]),
  ];
  const hint = expect.stringMatching(/^(Free some space|Check the disk and its free space)/u);
  disk.fill(0);
  for (const write of writes) await expect(write()).rejects.toMatchObject({ code: "unavailable", hint });
  disk.free();
  await store.append(logId, [{ type: "custom", data: { name: "again" } }]);
});
