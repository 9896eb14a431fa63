import { AGENT_NAMES } from "@continuo/core/model";
import { expect, test } from "vitest";
import { openSmallDisk } from "./small-disk.ts";
import { editOnSmallDisk } from "./small-disk-edits.ts";

test.each(AGENT_NAMES)(
  "native edits of %s are either refused or completed, however little space the disk has",
  async (agent) => {
    using disk = openSmallDisk();
    if (disk === null) throw new Error("the full size runs as root: it mounts a small disk");
    const { faults, refused } = await editOnSmallDisk(disk, agent, [0, 1, 2, 4, 8, 16]);
    expect(faults).toEqual([]);
    expect(refused).toBeGreaterThan(16);
  },
);
