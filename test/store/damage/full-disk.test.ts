import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { bundledProgram } from "../../sizes/shared-programs.ts";
import { acknowledgedBy, lossesOf } from "../harness/acknowledged-events.ts";
import { type Child, startChild } from "../harness/lines.ts";

const FILLER = await bundledProgram("test/store/processes/filler.ts");
const BLOB_FILLER = await bundledProgram("test/store/processes/blob-filler.ts");
/** The most blocks of 512 bytes that a file of the child may have. */
const BLOCKS = 2_000;

const folder = scratchFolder("full-disk");

/** The shell limits the size of every file of the child. */
function startLimited(args: readonly string[]): Child {
  return startChild(["-c", `ulimit -f ${BLOCKS}; exec "$0" "$@"`, process.execPath, ...args], "sh");
}

test("when the files cannot grow, every append is stored or refused as unavailable", async () => {
  const url = `sqlite:${join(folder, "store.db")}`;
  const { logId } = await (async () => {
    await using store = await openStore(url);
    return await store.createLog();
  })();
  const child = startLimited([FILLER, url, logId, "f", "40"]);
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

test("a blob whose file cannot grow is refused as unavailable, and leaves no bytes", async () => {
  const path = join(folder, "blobs.db");
  await (await openStore(`sqlite:${path}`)).close();
  const child = startLimited([BLOB_FILLER, `sqlite:${path}`, "3000000"]);
  expect(await child.ended()).toBe(0);
  expect(child.lines).toEqual([`refused unavailable: the database ${path} cannot be read or written`]);
  const left = readdirSync(`${path}-blobs`, { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => entry.isFile())).toEqual([]);
});
