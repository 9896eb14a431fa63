/** Temporary folders of tests. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, TestRunner } from "vitest";

/**
 * The path of a new folder without links in it. It is removed after the test that runs, else after the suite that is
 * being described, and after all hooks that were registered later. Call it in `beforeEach`, not in `beforeAll`. Tests that
 * run at the same time cannot be told apart: their folders go with that of the whole run.
 */
export function scratchFolder(name: string): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `continuo-${name}-`)));
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  const test = TestRunner.getCurrentTest();
  if (test === undefined) afterAll(remove);
  else if (test.concurrent !== true) onTestFinished(remove);
  return path;
}
