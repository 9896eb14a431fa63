/** Every session of the format cases grows line by line, and is indexed like one that is read as a whole. */

import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/agents";
import { updateTexts } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { contentOf, LATER } from "./grown-home.ts";

/** An error persists, so not every line needs to be checked. */
const LINES_PER_LOOK = 4;

test.each(FORMAT_CASES.filter(([agent]) => agent !== "opencode"))(
  "a session of %s (%s) that grows line after line",
  async (...one) => {
    const scratch = scratchFolder("grown");
    const { places: home, sessions } = await copyHome(scratch, one);
    const places = (name: string): Places => ({
      ...home,
      env: { ...home.env, CONTINUO_HOME: join(scratch, name) },
    });
    const paths = sessions.map(({ location }) => location).filter((path) => path.endsWith(".jsonl"));
    for (const path of paths) {
      const whole = readFileSync(path);
      let count = 0;
      truncateSync(path, 0);
      await updateTexts({ places: places("kept"), nowMs: LATER });
      for (let end = whole.indexOf(0x0a); end !== -1; end = whole.indexOf(0x0a, end + 1)) {
        // The line comes first without its end and with other letters, like a line that is written again.
        const begun = statSync(path).size;
        appendFileSync(path, otherLetters(whole.subarray(begun, end)));
        await updateTexts({ places: places("kept"), nowMs: LATER });
        truncateSync(path, begun);
        appendFileSync(path, whole.subarray(begun, end + 1));
        const next = whole.indexOf(0x0a, end + 1);
        if (next !== -1) appendFileSync(path, whole.subarray(end + 1, end + 1 + ((next - end) >> 1)));
        await updateTexts({ places: places("kept"), nowMs: LATER });
        count += 1;
        if (count % LINES_PER_LOOK === 0 || next === -1) {
          rmSync(join(scratch, "anew"), { recursive: true, force: true });
          await updateTexts({ places: places("anew"), nowMs: LATER });
          expect(await textOf(places("kept"), path)).toEqual(await textOf(places("anew"), path));
        }
        truncateSync(path, end + 1);
      }
      writeFileSync(path, whole);
    }
  },
  120_000,
);

/** Returns the texts of only this session. Forks are left out: a fork also changes when its beginning grows. */
async function textOf(places: Places, path: string): Promise<unknown> {
  return (await contentOf(places)).filter(({ key }) => key === path);
}

function otherLetters(line: Buffer): Buffer {
  const changed = line.toString("latin1").replace(/("(?:text|content|message)":\s?")[A-Za-z]/gu, "$1Q");
  return Buffer.from(changed, "latin1");
}
