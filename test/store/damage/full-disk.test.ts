import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { acknowledgedBy, lossesOf } from "../harness/acknowledged.ts";
import { startChild } from "../harness/lines.ts";

const FILLER = join(import.meta.dirname, "../processes/filler.ts");
/** Blocks of 512 bytes that a file of the child may have. */
const BLOCKS = 2_000;

const folder = mkdtempSync(join(tmpdir(), "continuo-full-disk-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("when the files cannot grow, every append is stored or refused as unavailable", async () => {
  const url = `sqlite:${join(folder, "store.db")}`;
  const { logId } = await (async () => {
    await using store = await openStore(url);
    return await store.createLog();
  })();
  const limited = `ulimit -f ${BLOCKS}; exec "$0" "$@"`;
  const child = startChild(["-c", limited, process.execPath, FILLER, url, logId, "f", "40"], "sh");
  expect(await child.ended()).toBe(0);
  const refusals = child.lines.filter((line) => line.startsWith("refused"));
  expect(refusals.length).toBeGreaterThanOrEqual(40);
  expect(new Set(refusals)).toEqual(new Set(["refused unavailable"]));
  const acknowledged = acknowledgedBy("f", child.lines);
  expect(acknowledged.batches.size).toBeGreaterThan(20);
  await using store = await openStore(url);
  expect(await lossesOf(store, logId, { after: 0, writers: [acknowledged] })).toEqual([]);
  const batches = [...acknowledged.batches.values()].reduce((sum, size) => sum + size, 0);
  expect(await store.latestSequence(logId)).toBe(batches);
  expect(await store.verify(logId)).toMatchObject({ ok: true });
});
