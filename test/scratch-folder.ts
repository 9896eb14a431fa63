/** Temporary folders of tests. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, TestRunner } from "vitest";

/**
 * Returns the path of a new folder, without links in it. The folder is removed after the running test, or else after
 * the suite that is being declared, and after all hooks that were registered later. Call this in `beforeEach`, not in
 * `beforeAll`. For tests that run at the same time, Vitest reports no single test: their folders are removed with the
 * folder of the whole run.
 */
export function scratchFolder(name: string): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `continuo-${name}-`)));
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  const test = TestRunner.getCurrentTest();
  if (test === undefined) afterAll(remove);
  else if (test.concurrent !== true) onTestFinished(remove);
  return path;
}
