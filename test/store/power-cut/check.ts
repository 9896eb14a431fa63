/**
 * A traced store, and an image of its disk, which the real engine opens and the check compares with the
 * acknowledgements.
 */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import type { Folder } from "../../power-cut/disk.ts";
import type { Operations } from "../../power-cut/operations.ts";
import { traceOperations, writeImage } from "../../power-cut/power-cut.ts";
import { bundledProgram } from "../../sizes/shared-programs.ts";
import { acknowledgedBy, lossesOf } from "../harness/acknowledged-events.ts";

const POWER_USER = await bundledProgram("test/store/processes/power-user.ts");

export async function traceStore(synchronous: "full" | "off" = "full"): Promise<Operations> {
  const root = mkdtempSync(join(tmpdir(), "continuo-power-"));
  try {
    return await traceOperations({ argv: [POWER_USER, root, synchronous], root });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Returns the losses and errors, as sentences. */
export async function lossesIn(image: Folder, acknowledged: readonly string[]): Promise<readonly string[]> {
  const root = mkdtempSync(join(tmpdir(), "continuo-power-cut-"));
  try {
    writeImage(root, image);
    return [...(await lossesOfStore(root, acknowledged)), ...(await lossesOfBackups(root, acknowledged))];
  } catch (error) {
    return [`The store cannot be opened: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    rmSync(root, { recursive: true });
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

/** A backup holds everything that was acknowledged before it. */
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
