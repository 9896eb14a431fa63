/** An image of the disk, written down, opened by the real engine, and compared with what was acknowledged. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../src/model/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { acknowledgedBy, lossesOf } from "../harness/acknowledged.ts";
import type { Folder } from "./disk.ts";

/** What is missing or wrong, in sentences. */
export async function lossesIn(image: Folder, acknowledged: readonly string[]): Promise<readonly string[]> {
  const root = mkdtempSync(join(tmpdir(), "continuo-power-cut-"));
  try {
    writeFolder(root, image);
    return [...(await lossesOfStore(root, acknowledged)), ...(await lossesOfBackups(root, acknowledged))];
  } catch (error) {
    return [`The store cannot be opened: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    rmSync(root, { recursive: true });
  }
}

function writeFolder(path: string, { entries }: Folder): void {
  for (const [name, found] of entries) {
    if (Buffer.isBuffer(found)) writeFileSync(join(path, name), found);
    else {
      mkdirSync(join(path, name));
      writeFolder(join(path, name), found);
    }
  }
}

async function lossesOfStore(root: string, acknowledged: readonly string[]): Promise<readonly string[]> {
  await using store = await openStore(`sqlite:${join(root, "new", "deeper", "store.db")}`);
  const writer = acknowledgedBy("w", acknowledged);
  const losses = [...(await lossesOfLog(store, writer)), ...(await lossesOfBlobs(store, acknowledged))];
  const { logId } = await store.createLog({ logId: "after" });
  await store.append(logId, [{ type: "custom", data: { name: "goes on" } }]);
  return losses;
}

async function lossesOfLog(
  store: Store,
  writer: ReturnType<typeof acknowledgedBy>,
): Promise<readonly string[]> {
  if ((await store.getLog("log")) === null) {
    return writer.batches.size === 0 ? [] : ["The log is lost."];
  }
  const losses = await lossesOf(store, "log", { after: 0, writers: [writer] });
  const verification = await store.verify("log");
  return verification.ok ? losses : [...losses, `The log does not verify: ${verification.reason}`];
}

async function lossesOfBlobs(store: Store, acknowledged: readonly string[]): Promise<readonly string[]> {
  const losses: string[] = [];
  for (const hash of rest("blob", acknowledged)) {
    try {
      for await (const _ of (await store.openBlob(hash)).bytes);
    } catch (error) {
      losses.push(`The blob ${hash} is lost: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return losses;
}

/** A backup holds what was acknowledged before it. */
async function lossesOfBackups(root: string, acknowledged: readonly string[]): Promise<readonly string[]> {
  const losses: string[] = [];
  for (const name of rest("backup", acknowledged)) {
    const file = join(root, name);
    if (!existsSync(file)) losses.push(`The backup ${name} is lost.`);
    else {
      await using store = await openStore(`sqlite:${file}`);
      const before = acknowledged.slice(0, acknowledged.indexOf(`backup ${name}`));
      losses.push(...(await lossesOfLog(store, acknowledgedBy("w", before))));
    }
  }
  return losses;
}

function rest(word: string, lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}
