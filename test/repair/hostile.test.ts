/**
 * Types, roles and names that every object has, and values that are nested thousands of levels deep: every reader can
 * handle them.
 */

import fc from "fast-check";
import { beforeEach, describe, test } from "vitest";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { roundsOfEach } from "../sizes/counts.ts";
import { everyReader, nested, recordsOf, renamed } from "./hostile-changes.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("hostile");
});

const CASES = [
  ["claude", "parallel-tools"],
  ["codex", "legacy"],
  ["codex", "paginated"],
  ["gemini", "parallel-tools"],
  ["pi", "parallel-tools"],
  ["opencode", "parallel-tools"],
] as const;

describe.each(CASES)("%s/%s is listed, checked, shown, exported, converted and repaired", (agent, name) => {
  test.each([
    ["with names that every object has", renamed, 48],
    ["with values nested thousands of levels deep", nested, 32],
  ] as const)("%s", async (_, anyChange, count) => {
    const { places, sessions } = await copyHome(scratch, [agent, name]);
    const location = sessions[0]?.location ?? "";
    const records = recordsOf(agent, location);
    await fc.assert(
      fc.asyncProperty(fc.array(anyChange, { minLength: 1, maxLength: 3 }), async (changes) => {
        records.write(changes.reduce((texts, change) => change(texts), records.texts));
        await everyReader(location, agent, places);
      }),
      { numRuns: roundsOfEach(count, CASES.length) },
    );
  });
});
