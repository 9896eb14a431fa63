/** A session as a real agent wrote it has nothing to repair. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { repairNativeSession } from "./repair.ts";

/** Those whose agent was stopped during a call, or wrote what it does not read itself. */
const DAMAGED: ReadonlySet<string> = new Set(["killed", "killed-calls", "line-separator"]);

test.each(FORMAT_CASES.filter(([, name]) => !DAMAGED.has(name)))(
  "a session as a real agent wrote it, %s/%s: nothing to repair",
  async (agent, name) => {
    const scratch = scratchFolder("repair-test");
    const { places, sessions } = await copyHome(scratch, [agent, name]);
    for (const info of sessions.filter(({ location }) => !location.endsWith(".zst"))) {
      const { edits, written, trashId } = await repairNativeSession(info, { places, write: "in place" });
      expect({ edits, written, trashId }).toEqual({ edits: [], written: null, trashId: null });
    }
    expect(existsSync(join(scratch, ".continuo"))).toBe(false);
  },
);
