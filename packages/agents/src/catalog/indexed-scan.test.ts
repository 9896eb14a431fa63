import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, createHome } from "../../../../test/cli/home.ts";
import { lookUp, updateTexts } from "./index.ts";
import { indexedScan } from "./indexed-scan.ts";
import { CATALOG_LIMITS } from "./limits.ts";

test("the index is asked for a scan of a long session only if it has none that is current", async () => {
  const limits: { indexedScanBytes: number } = CATALOG_LIMITS;
  const { indexedScanBytes } = limits;
  onTestFinished(() => {
    limits.indexedScanBytes = indexedScanBytes;
  });
  limits.indexedScanBytes = 1;
  using home = createHome();
  const file = join(home.path, claudeFile(CLAUDE_ID));
  const line = { parent: null, role: "user" as const, content: "Light the lamp", time: "10:00:00" };
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, [{ uuid: "q", ...line }]));
  const places = { home: home.path, cwd: home.path, env: {} };
  const scan = async (): Promise<readonly [isKnown: boolean, missing: number]> => {
    let missing = 0;
    const hit = await lookUp(`claude:${CLAUDE_ID}`, { places });
    if (hit.kind !== "native") throw new Error("the session is not a native one");
    const found = await indexedScan(hit.native.found, places, { onMissing: () => missing++ });
    return [found !== null, missing];
  };
  expect(await scan()).toEqual([false, 1]);
  // Files that were written just now have no reliable stamp.
  await updateTexts({ places, nowMs: Date.now() + 60_000 });
  expect(await scan()).toEqual([true, 0]);
  writeFileSync(file, readFileSync(file, "utf8").slice(0, -20));
  expect(await scan()).toEqual([false, 1]);
});
