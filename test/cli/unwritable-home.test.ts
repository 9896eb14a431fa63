/** A `CONTINUO_HOME` that cannot be written: reading works without it, and each error gives the reason. */

import { expect, test } from "vitest";
import { openSmallDisk } from "../power-cut/small-disk.ts";
import { CLAUDE_ID, createHome, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

const READING = [
  ["list"],
  ["search", "build"],
  ["show", CLAUDE_ID],
  ["info", CLAUDE_ID],
  ["stats"],
  ["doctor"],
];
const WRITING = [["trust"], ["fork", CLAUDE_ID], ["delete", CLAUDE_ID, "--yes"], ["index", "rebuild"]];

test.each([
  ["full", "the disk is full|database or disk is full", "Free some space|space on the disk"],
  ["read-only", "the file system is read-only", "Make the file system writable"],
])(
  "with a %s disk, reading works, and commands that write report the reason",
  async (state, reason, hint) => {
    using disk = openSmallDisk();
    // Not every machine permits a mount.
    if (disk === null) return;
    using home = createHome();
    writeSessions(home);
    const env = { CONTINUO_HOME: disk.folder, CI: "1" };
    if (state === "full") disk.fill(0);
    else {
      // An existing store and an existing index do not matter.
      await runHere(home, ["index", "update"], { env });
      await runHere(home, ["store", "info"], { env });
      expect(disk.readOnly()).toBe(true);
    }
    for (const args of READING) {
      const { code, stdout } = await runHere(home, args, { env });
      // The exit code of these commands reports that something is missing or wrong.
      const isTold = ["list", "doctor", "stats", "search"].includes(args[0] ?? "");
      expect([args, isTold || code === 0, stdout.length > 40]).toEqual([args, true, true]);
    }
    for (const args of WRITING) {
      const { code, stderr } = await runHere(home, args, { env });
      expect([args, (code ?? 0) > 0]).toEqual([args, true]);
      expect(stderr).toMatch(new RegExp(reason, "u"));
      expect(stderr).toMatch(new RegExp(hint, "u"));
      expect(stderr).not.toMatch(/ENOSPC|EROFS|Error:/u);
    }
  },
);
