/** The work of `store info`, `backup`, `restore`, `vacuum` and `migrate`. */

import { resolve } from "node:path";
import { backupStore, openStore, restoreStore, vacuumStore } from "@continuo/store";
import { formatCount, formatSize, type Shell } from "../terminal/index.ts";
import { openForCommand, type StoreFlags, storeUrl } from "./command-store.ts";
import { type Fact, printFacts } from "./print.ts";

export async function runInfo(flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const info = await store.info();
  await printFacts(shell, {
    json: flags.json ? { ...info, workspaceId: store.workspaceId } : undefined,
    facts: [
      ["store", `${info.engine} ${info.location}`],
      ["workspace", store.workspaceId],
      ["schema", String(info.schemaVersion)],
      ["size", formatSize(info.sizeBytes)],
      ["sessions", formatCount(info.sessions)],
      ["runs", formatCount(info.runs)],
      ["logs", formatCount(info.logs)],
      ["events", formatCount(info.events)],
      ["blobs", formatCount(info.blobs)],
    ],
  });
  return 0;
}

export async function runBackup(file: string, flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const result = await backupStore(store, resolve(shell.cwd, file));
  await printFacts(shell, {
    json: flags.json ? result : undefined,
    facts: [
      ["backup", result.file],
      ["size", formatSize(result.sizeBytes)],
      ["events", formatCount(result.events)],
      ["blobs", formatCount(result.blobs)],
    ],
  });
  return 0;
}

export async function runRestore(file: string, flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const result = await restoreStore(store, resolve(shell.cwd, file));
  await printFacts(shell, {
    json: flags.json ? result : undefined,
    facts: [
      ["logs", formatCount(result.logs)],
      ["events", formatCount(result.events)],
      ["blobs", formatCount(result.blobs)],
    ],
  });
  return 0;
}

export async function runVacuum(flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const before = (await store.info()).sizeBytes;
  const result = await vacuumStore(store);
  const after = (await store.info()).sizeBytes;
  await printFacts(shell, {
    json: flags.json ? { ...result, sizeBytesBefore: before, sizeBytes: after } : undefined,
    facts: [
      ["expired logs", formatCount(result.expiredLogs)],
      ["unused blobs", `${formatCount(result.blobs)} of ${formatSize(result.blobBytes)}`],
      ...(result.objects === 0 ? [] : [["objects without a blob", formatCount(result.objects)] as const]),
      ["size", `${formatSize(before)} before, ${formatSize(after)} now`],
    ],
  });
  return 0;
}

interface MigrationReport {
  readonly from: number;
  readonly to: number;
  readonly copy: string | null;
}

/** The only command that upgrades a Postgres database. */
export async function runMigrate(flags: StoreFlags, shell: Shell): Promise<number> {
  let migrated: MigrationReport | null = null;
  await using store = await openStore(storeUrl(flags, shell), {
    migrate: true,
    onMigrated: (what) => {
      migrated = what;
    },
  });
  const { schemaVersion } = await store.info();
  const done = migrated as MigrationReport | null;
  const copy: readonly Fact[] = done === null || done.copy === null ? [] : [["copy", done.copy]];
  await printFacts(shell, {
    json: flags.json ? { schemaVersion, migrated: done } : undefined,
    facts: [
      ["schema", done === null ? `${schemaVersion}, unchanged` : `from ${done.from} to ${done.to}`],
      ...copy,
    ],
  });
  return 0;
}
