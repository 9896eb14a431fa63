/**
 * The version of each editor with which its tests passed, and the day, from which docs/editors.md is made. With
 * `CONTINUO_RECORD=1`, a test that has passed writes them.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "tried-editors.json");

/** @param folder the installed package of the editor */
export function recordTried(folder: string): void {
  if (process.env.CONTINUO_RECORD !== "1") return;
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const triedOn = new Date().toISOString().slice(0, 10);
  const tried = { ...JSON.parse(readFileSync(FILE, "utf8")), [name]: { version, triedOn } };
  writeFileSync(FILE, `${JSON.stringify(tried, null, 2)}\n`);
}
