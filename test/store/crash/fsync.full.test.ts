import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { bundledProgram } from "../../sizes/shared-programs.ts";
import { startChild } from "../harness/lines.ts";

const WRITER = await bundledProgram("test/store/processes/writer.ts");
const CALLS = "trace=fsync,fdatasync,write,pwrite64,pwritev,writev";

const folder = scratchFolder("fsync");

interface Order {
  readonly acknowledgements: number;
  readonly syncs: number;
  /** Finds acknowledgements that were printed before their events in the WAL were synced. */
  readonly early: number;
}

/**
 * The order of the system calls of one run, as `strace -y` reports them, with the ids of events in the written bytes.
 */
function orderOf(trace: string): Order {
  const durable = new Set<string>();
  let written: string[] = [];
  let acknowledgements = 0;
  let syncs = 0;
  let early = 0;
  for (const line of trace.split("\n")) {
    if (/ (pwrite64|pwritev|write|writev)\(\d+<[^>]*-wal>/.test(line)) {
      for (const [, batch = ""] of line.matchAll(/w\/(\d+)\/\d/g)) written.push(batch);
    } else if (/ (fsync|fdatasync)\(\d+<[^>]*-wal>/.test(line)) {
      syncs++;
      for (const batch of written) durable.add(batch);
      written = [];
    }
    const acknowledged = / write\(1<[^>]*>, "ack (\d+) /.exec(line)?.[1];
    if (acknowledged === undefined) continue;
    acknowledgements++;
    if (!durable.has(acknowledged)) early++;
  }
  return { acknowledgements, syncs, early };
}

async function traced(synchronous: "full" | "off"): Promise<Order> {
  const url = `sqlite:${join(folder, `${synchronous}.db`)}`;
  const store = await openStore(url);
  await store.createLog({ logId: "log" });
  await store.close();
  const output = join(folder, `${synchronous}.trace`);
  // With this limit, a page of 4 KB and its frame are printed whole.
  const strace = ["-f", "-y", "-s", "5000", "-e", CALLS, "-o", output, process.execPath];
  const child = startChild([...strace, WRITER, url, "log", "w", "100", synchronous], "strace");
  expect(await child.ended()).toBe(0);
  return orderOf(readFileSync(output, "utf8"));
}

test("strace is installed, which the other tests of this file need", () => {
  expect(execFileSync("strace", ["-V"]).toString()).toContain("strace");
});

test("no acknowledgement leaves before the WAL that holds it is synced", { timeout: 1_200_000 }, async () => {
  const order = await traced("full");
  expect(order.acknowledgements).toBe(100);
  expect(order.syncs).toBeGreaterThan(20);
  expect(order.early).toBe(0);
});

test("the same check fails with synchronous=OFF", { timeout: 1_200_000 }, async () => {
  const order = await traced("off");
  expect(order.acknowledgements).toBe(100);
  expect(order.early).toBeGreaterThan(50);
});
