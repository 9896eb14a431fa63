/**
 * The version of each editor, and for each test with it the day on which that test passed with this version, from which
 * docs/editors.md is made. With `CONTINUO_RECORD=1`, a test that has passed writes its own day and no other.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

const FILE = join(import.meta.dirname, "tried-editors.json");

/** @param folder the installed package of the editor */
export function recordTried(folder: string): void {
  const title = expect.getState().currentTestName;
  if (process.env.CONTINUO_RECORD !== "1" || title === undefined) return;
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const all = JSON.parse(readFileSync(FILE, "utf8"));
  const today = new Date().toISOString().slice(0, 10);
  // The days of another version say nothing about this one.
  const passedOn = { ...(all[name]?.version === version ? all[name].passedOn : {}), [title]: today };
  writeFileSync(FILE, `${JSON.stringify({ ...all, [name]: { version, passedOn } }, null, 2)}\n`);
}
