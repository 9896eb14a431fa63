/**
 * A new agent needs a folder of its own and a few lines elsewhere. The test counts the source files outside of that
 * folder that name the newest agent. `docs/formats/README.md` lists the steps that change them.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = ["bin", "extension", "packages", "src", "web"];
const NEWEST = "copilot";

/** A folder or file with the agent's name belongs to the agent. */
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
