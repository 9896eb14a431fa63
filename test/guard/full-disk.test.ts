/** The guard on a full or read-only disk: it refuses with a code and a hint, and no copy is worse than before. */

import { rmSync } from "node:fs";
import { isContinuoError } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { restoreGuardedSession, settleUnfinished } from "@continuo/native/editing";
import { onlyCopies, runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { expect, test } from "vitest";
import { openSmallDisk, type SmallDisk } from "../power-cut/small-disk.ts";
import { DAY_MS, writeClaudeSession } from "./sessions.ts";

const IDS = ["0b9c1a52-0000-4000-8000-000000000001", "1c9c1a52-0000-4000-8000-000000000002"];

/** The number of free pages in each attempt: too few for the work, until there are enough. */
const PAGES = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 512];

async function withLittleRoom(
  disk: SmallDisk,
  pages: number,
  work: () => Promise<unknown>,
): Promise<boolean> {
  disk.fill(pages);
  const error = await work().then(
    () => null,
    (reason: unknown) => reason,
  );
  disk.free();
  if (error === null) return true;
  expect([pages, isContinuoError(error), (error as Error).message]).toEqual([
    pages,
    true,
    expect.any(String),
  ]);
  expect(error).toMatchObject({
    code: expect.stringMatching(/^(?:unwritable|unavailable)$/u),
    hint: expect.any(String),
  });
  return false;
}

test("a run and a restoration on a full disk are refused, and complete when there is room", async (context) => {
  using disk = openSmallDisk();
  if (disk === null) return context.skip("this machine mounts nothing");
  const places: Places = { home: disk.folder, env: {} };
  const paths = IDS.map(
    (id) => writeClaudeSession(disk.folder, { id, turns: 40, writtenMs: Date.now() - DAY_MS }).path,
  );
  let refused = 0;
  for (const pages of PAGES) {
    if (await withLittleRoom(disk, pages, () => runGuard({ places }))) break;
    refused += 1;
    expect([pages, (await verifyGuard(places)).problems]).toEqual([pages, []]);
  }
  expect(refused).toBeGreaterThan(2);
  await runGuard({ places });
  rmSync(paths[0] ?? "");
  refused = 0;
  for (const pages of PAGES) {
    if (await withLittleRoom(disk, pages, () => restoreGuardedSession(IDS[0] ?? "", { places }))) break;
    refused += 1;
    await settleUnfinished({ places });
    expect([pages, (await verifyGuard(places)).problems]).toEqual([pages, []]);
    expect(onlyCopies({ places, metIds: new Set() }).map(({ sessionId }) => sessionId)).toEqual([IDS[0]]);
  }
  expect(refused).toBeGreaterThan(2);
  expect(onlyCopies({ places, metIds: new Set() })).toEqual([]);
});
