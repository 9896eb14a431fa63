import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import type { Statement } from "./engine/index.ts";
import { openStore } from "./open-store.ts";
import { listBlobs, readMedia } from "./rules/index.ts";

const folder = scratchFolder("media");

test("events are found by their media time, and blobs by their expiry, through an index", async () => {
  const path = join(folder, "plans.db");
  await using store = await openStore(`sqlite:${path}`);
  const { logId } = await store.createLog();
  const found: Statement[] = [];
  await store.engine.read(function* (scope) {
    for (const work of [
      readMedia(scope, logId, { fromMs: 0, toMs: 9, nearMs: 5, types: ["a"] }),
      listBlobs(scope, { expiresBefore: "2999-01-01T00:00:00Z" }),
    ]) {
      for (let step = work.next(); step.done !== true; ) {
        found.push(step.value);
        step = work.next(yield step.value);
      }
    }
  });
  const database = new DatabaseSync(path);
  const plans = found
    .filter(({ sql }) => /from events|from "blobs"/.test(sql))
    .map(({ sql, parameters }) =>
      database
        .prepare(`explain query plan ${sql}`)
        .all(...(parameters as string[]))
        .map((row) => String(row.detail))
        .join("; "),
    );
  database.close();
  expect(plans.length).toBe(5);
  for (const plan of plans.slice(0, 4)) {
    expect(plan).toContain("events_by_media_time (log_key=? AND retention=? AND media_time_ms>?");
    expect(plan).not.toContain("TEMP B-TREE");
  }
  expect(plans[4]).toContain("blobs_by_expiry (workspace_id=? AND expires_at<?)");
  expect(plans[4]).not.toContain("TEMP B-TREE");
});

test("verify names the event whose media time is not the one of its payload", async () => {
  const path = join(folder, "damaged.db");
  await using store = await openStore(`sqlite:${path}`);
  const { logId } = await store.createLog();
  await store.append(
    logId,
    [1, 2, 3].map((mediaTimeMs) => ({ type: "seen", data: { mediaTimeMs } })),
  );
  expect(await store.verify(logId)).toEqual({ ok: true, checkedCount: 3, prunedCount: 0 });
  for (const wrong of ["7", "null"]) {
    const database = new DatabaseSync(path);
    database.exec(`update events set media_time_ms = ${wrong} where sequence = 2`);
    database.close();
    expect(await store.verify(logId)).toMatchObject({ ok: false, firstBadSequence: 2 });
  }
});
