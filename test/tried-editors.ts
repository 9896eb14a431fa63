/**
 * The version of each editor, and the day on which each test with it passed with this version; docs/editors.md is made
 * from them. With `CONTINUO_RECORD=1`, a test that has passed writes only its own day.
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
  // The days of another version prove nothing about this one.
  const passedOn = { ...(all[name]?.version === version ? all[name].passedOn : {}), [title]: today };
  writeFileSync(FILE, `${JSON.stringify({ ...all, [name]: { version, passedOn } }, null, 2)}\n`);
}
