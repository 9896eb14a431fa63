/**
 * Another agent is a folder of its own and a few lines elsewhere: the files of our sources that name the agent that came
 * last by hand are counted. `docs/formats/README.md` says which steps lead to them.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = ["bin", "extension", "packages", "src", "web"];
const NEWEST = "copilot";

/** A folder or file that is called as the agent is its own. */
const OWN = new RegExp(`(^|/)${NEWEST}(/|\\.ts$)`, "u");

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(?:dist|node_modules)$/u.test(entry.name) ? [] : sourceFiles(path);
    return /\.(?:tsx?|m?js|json|css|html)$/u.test(path) && !/\.test\.tsx?$/u.test(path) ? [path] : [];
  });
}

test("at most three files outside the folders of the newest agent name it", () => {
  const naming = SOURCES.flatMap(sourceFiles).filter((path) => {
    return !OWN.test(path) && new RegExp(NEWEST, "iu").test(readFileSync(join(ROOT, path), "utf8"));
  });
  expect(naming).toEqual([
    "packages/agents/src/drivers/witness/witnesses.ts",
    "packages/core/src/model/messages/agent.ts",
    "packages/native/src/native/registry.ts",
  ]);
});
