/** `index status | update | rebuild | clear`. */

import { statSync } from "node:fs";
import { type Texts, textsState } from "@continuo/agents/catalog";
import { isWriteFailure, placesOf, writeFailure } from "@continuo/files";
import { indexPathOf, removeIndex, useIndex } from "@continuo/native/index-file";
import { isIndexing } from "../indexing/index.ts";
import {
  createOutput,
  formatCount,
  formatSize,
  type Shell,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";
import type { IndexFlags } from "./flags.ts";
import { patternsOf, updateWithProgress } from "./texts.ts";

export async function runIndex(
  what: "status" | "update" | "rebuild" | "clear",
  flags: IndexFlags,
  shell: Shell,
): Promise<number> {
  if (what === "clear" || what === "rebuild") remove(indexPathOf(shell));
  const texts = what === "update" || what === "rebuild" ? await updateWithProgress(shell) : null;
  const status = await statusOf(shell, texts);
  const output = createOutput(shell.stdout);
  await output.write(flags.json ? `${toJsonText(status, 2)}\n` : drawStatus(status, shell));
  return texts !== null && texts.unreadable.length > 0 ? 1 : 0;
}

/** Errors: `unwritable`. */
function remove(path: string): void {
  try {
    removeIndex(path);
  } catch (error) {
    if (!isWriteFailure(error)) throw error;
    throw writeFailure(`cannot remove the index ${path}`, error);
  }
}

interface IndexStatus {
  readonly path: string;
  readonly state: "ready" | "missing" | "newer" | "unusable";
  readonly sizeBytes: number;
  readonly sessions: number;
  readonly indexed: number;
  readonly sessionsBytes: number;
  /** `running` if a process in the background indexes. */
  readonly background: "running" | "idle";
  readonly unreadable: Texts["unreadable"];
}

async function statusOf(shell: Shell, texts: Texts | null): Promise<IndexStatus> {
  const path = indexPathOf(shell);
  const counted = await textsState({ places: placesOf(shell), exclude: await patternsOf(shell) });
  const { state } = await useIndex(path, "read", () => null);
  return {
    path,
    state,
    sizeBytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    sessions: counted.sessions,
    indexed: texts?.ready.size ?? counted.ready,
    sessionsBytes: counted.sizeBytes,
    background: (await isIndexing(shell)) ? "running" : "idle",
    unreadable: texts?.unreadable ?? [],
  };
}

const STATES: Readonly<Record<IndexStatus["state"], string>> = {
  ready: "ready",
  missing: "not made yet",
  newer: "made by a newer version of Continuo, and not used",
  unusable: "cannot be used",
};

function drawStatus(status: IndexStatus, shell: Shell): string {
  const { sessions, indexed, sizeBytes, sessionsBytes } = status;
  const share =
    sessionsBytes === 0 ? "" : ` (${((100 * sizeBytes) / sessionsBytes).toFixed(1)} % of the sessions)`;
  const facts = [
    ["file", tildePath(status.path, shell.home)],
    ["state", STATES[status.state]],
    ["sessions", `${formatCount(indexed)} of ${formatCount(sessions)} indexed for search`],
    ["size", `${formatSize(sizeBytes)}${share}`],
    ...(status.background === "running" ? [["background", "a process indexes what is missing"]] : []),
    ...status.unreadable.slice(0, 10).map(({ message }) => ["unreadable", message]),
  ];
  return facts.map(([name = "", text = ""]) => `${name.padEnd(10)}  ${text}\n`).join("");
}
