/** A session as a real agent wrote it has nothing to repair. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentName, SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { repairNativeSession } from "./repair.ts";

/** Those whose agent was stopped during a call, or wrote what it does not read itself. */
const DAMAGED: ReadonlySet<string> = new Set(["killed", "killed-calls", "line-separator"]);

let scratch: string;
let places: Places;
beforeEach(() => {
  scratch = scratchFolder("repair-test");
});

async function open(agent: AgentName, name: string): Promise<readonly SessionInfo[]> {
  const copied = await copyHome(scratch, [agent, name]);
  places = copied.places;
  return copied.sessions.filter(({ location }) => !location.endsWith(".zst"));
}

describe("a session as a real agent wrote it", () => {
  test.each(FORMAT_CASES.filter(([, name]) => !DAMAGED.has(name)))(
    "%s/%s: nothing to repair",
    async (agent, name) => {
      for (const info of await open(agent, name)) {
        const { edits, written, trashId } = await repairNativeSession(info, { places, write: "in place" });
        expect({ edits, written, trashId }).toEqual({ edits: [], written: null, trashId: null });
      }
      expect(existsSync(join(scratch, ".continuo"))).toBe(false);
    },
  );
});
