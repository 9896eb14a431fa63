import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { removeLeftScratch } from "./stage.ts";

test("the scratch folders of killed processes are removed, but not those of another user", () => {
  const folder = scratchFolder("left-scratch");
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  mkdirSync(join(folder, `continuo-scratch-${pid}-a`));
  removeLeftScratch((process.getuid?.() ?? 0) + 1);
  expect(readdirSync(folder)).toHaveLength(1);
  removeLeftScratch();
  expect(readdirSync(folder)).toEqual([]);
});
