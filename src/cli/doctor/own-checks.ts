/** The checks of Continuo itself: its version of Node, its folder, its settings, its store and its index. */

import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { openOwn, textsState } from "@continuo/agents/catalog";
import { assertRunnable, readConfiguration } from "@continuo/agents/config";
import { adviceFor, shellWord } from "@continuo/core/model";
import { continuoHome, placesOf, readVersion } from "@continuo/files";
import { settleBeforeReading } from "@continuo/native/editing";
import { readGuardSettings, readLedger, totalOf } from "@continuo/native/editing/guard";
import { indexPathOf, useIndex } from "@continuo/native/index-file";
import { countDueSoon, dueLine } from "../guard/index.ts";
import { isIndexing } from "../indexing/index.ts";
import { formatCount, formatSize, plural, type Shell, tildePath } from "../terminal/index.ts";
import type { Finding } from "./finding.ts";
import { DOCTOR_LIMITS } from "./limits.ts";

export async function checkVersion(): Promise<readonly Finding[]> {
  const { node } = process.versions;
  const message = `${readVersion()} · Node ${node} · ${process.platform} ${process.arch}`;
  return [{ name: "continuo", state: "fine", message }];
}

/** Checks that the folder is private, and that the disk has room. */
export async function checkHome(shell: Shell): Promise<readonly Finding[]> {
  const folder = continuoHome(shell);
  const shown = tildePath(folder, shell.home);
  const free = freeBytes(folder);
  const room: Finding = {
    name: "disk",
    state:
      free < DOCTOR_LIMITS.brokenFreeBytes
        ? "broken"
        : free < DOCTOR_LIMITS.warnedFreeBytes
          ? "warning"
          : "fine",
    message: `${formatSize(free)} free for ${shown}`,
  };
  const disk =
    room.state === "fine" ? room : { ...room, hint: "Delete what you no longer need from this disk." };
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) {
    return [{ name: "home", state: "missing", message: `${shown} is made when it is needed` }, disk];
  }
  if (!stats.isDirectory()) {
    const message = `${shown} is not a folder`;
    return [
      {
        name: "home",
        state: "broken",
        message,
        hint: "Set CONTINUO_HOME to a folder, or move this file away.",
      },
      disk,
    ];
  }
  const isForeign = process.getuid !== undefined && stats.uid !== process.getuid();
  if (isForeign) {
    const message = `${shown} belongs to another user (${stats.uid})`;
    return [
      { name: "home", state: "broken", message, hint: "Set CONTINUO_HOME to a folder of yours." },
      disk,
    ];
  }
  if ((stats.mode & 0o077) !== 0) {
    const message = `${shown} can be read by other users of this machine`;
    return [
      { name: "home", state: "warning", message, hint: `Run \`chmod 700 ${shellWord(folder)}\`.` },
      disk,
    ];
  }
  return [{ name: "home", state: "fine", message: `${shown} · only you can read it` }, disk];
}

/** Returns the free bytes for the nearest folder that exists. */
function freeBytes(folder: string): number {
  let place = folder;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize;
}

export async function checkSettings(shell: Shell): Promise<readonly Finding[]> {
  const configuration = await readConfiguration({ places: shell });
  assertRunnable(configuration);
  return [{ name: "settings", state: "fine", message: "no mistakes in any continuo.yaml" }];
}

export async function checkStore(shell: Shell): Promise<readonly Finding[]> {
  const own = await openOwn(shell);
  if (own === null) return [{ name: "store", state: "missing", message: "is made with the first chat" }];
  await using store = own;
  const { schemaVersion, sizeBytes, sessions } = await store.store.info();
  const message = `${tildePath(store.location, shell.home)} · schema ${schemaVersion} · ${formatSize(sizeBytes)} · ${plural(sessions, "session")}`;
  return [{ name: "store", state: "fine", message }];
}

export async function checkIndex(shell: Shell): Promise<readonly Finding[]> {
  const { indexExclude: exclude } = await readConfiguration({ places: shell, cwd: null });
  const { sessions, ready } = await textsState({ places: placesOf(shell), exclude });
  const { state } = await useIndex(indexPathOf(shell), "read", () => null);
  const counts = `${formatCount(ready)} of ${plural(sessions, "session")} indexed for search`;
  if (state === "newer" || state === "unusable") {
    const message =
      state === "newer"
        ? "was made by a newer version of Continuo, and is not used"
        : "is no index, or cannot be read";
    return [{ name: "index", state: "warning", message, hint: "Run `continuo index rebuild`." }];
  }
  if (await isIndexing(shell)) {
    return [{ name: "index", state: "fine", message: `${counts}; a process indexes the others` }];
  }
  if (sessions - ready <= DOCTOR_LIMITS.fewUnindexed)
    return [{ name: "index", state: "fine", message: counts }];
  const hint = "Run `continuo index update`, which makes searches faster.";
  return [{ name: "index", state: "warning", message: counts, hint }];
}

export async function checkEdits(shell: Shell): Promise<readonly Finding[]> {
  const problems = await settleBeforeReading({ places: placesOf(shell) });
  if (problems.length === 0) return [{ name: "edits", state: "fine", message: "no edit is half done" }];
  return problems.map((problem) => {
    return { name: "edits", state: "broken", message: problem.message, hint: adviceFor(problem) };
  });
}

/** Checks that no session without a copy will be deleted soon. */
export async function checkGuard(shell: Shell): Promise<readonly Finding[]> {
  const places = placesOf(shell);
  const { on, maxBytes } = readGuardSettings(places);
  const counts = await countDueSoon(DOCTOR_LIMITS.dueDays, shell);
  const going =
    dueLine(counts, DOCTOR_LIMITS.dueDays) ??
    `no session will be deleted within ${plural(DOCTOR_LIMITS.dueDays, "day")}`;
  const ledger = readLedger(places);
  const copies = `${plural(ledger.size, "copy", "copies")}, ${formatSize(totalOf(ledger))} of at most ${formatSize(maxBytes)}`;
  const message = on ? `on · ${going} · ${copies}` : `off · ${going}`;
  if (counts.withoutCopy === 0) return [{ name: "guard", state: "fine", message }];
  const hint = `${on ? "Run `continuo guard run`" : "Run `continuo guard on`"}, which copies sessions before their agents delete them.`;
  return [{ name: "guard", state: "warning", message, hint }];
}
