/**
 * Sub-agents: `SID/subagents/agent-ID.jsonl` with `agent-ID.meta.json` next to it; in older versions
 * `agent-ID.jsonl` next to the session itself, or `isSidechain` lines inside of it.
 */

import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SubagentInfo } from "@continuo/core/model";
import { namesIn, readJsonFile, textField } from "@continuo/files";
import { hasFlag, readHead, textOfId } from "../kit/index.ts";
import { sidechainRoot, type Tree } from "./branches.ts";
import { subagentIdOf } from "./find.ts";
import { FLAG, type Index } from "./index-fold.ts";
import { HEAD_BYTES } from "./limits.ts";
import { sidecarFolder } from "./sidecar-files.ts";

/** Sub-agents with files of their own, by name. */
export async function readSubagents(path: string, sessionId: string): Promise<SubagentInfo[]> {
  const own = join(sidecarFolder(path), "subagents");
  const found = filesIn(own).map(readSubagent);
  for (const sibling of filesIn(dirname(path))) {
    const head = await readHead(sibling, HEAD_BYTES);
    if (head.some((record) => textField(record, "sessionId") === sessionId))
      found.push(readSubagent(sibling));
  }
  return found;
}

/**
 * Sub-agents inside of the file itself, each under the uuid of its first line; `PATH#UUID` opens one. The
 * file does not say which call started them.
 */
export function inlineSubagents(index: Index, tree: Tree, path: string): SubagentInfo[] {
  const sizes = new Map<number, number>();
  for (let record = 0; record < index.count; record++) {
    if (tree.member[record] === 0 || !hasFlag(index, record, FLAG.sidechain)) continue;
    const root = sidechainRoot(index, tree.up, record);
    sizes.set(root, (sizes.get(root) ?? 0) + (index.length[record] ?? 0));
  }
  const found: SubagentInfo[] = [];
  for (const [root, sizeBytes] of sizes) {
    const number = index.id[root] ?? -1;
    if (number === -1) continue;
    const id = textOfId(index.ids, number);
    const untold = { type: null, description: null, toolCallId: null, model: null };
    found.push({ id, location: `${path}#${id}`, ...untold, sizeBytes });
  }
  return found;
}

function filesIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => subagentIdOf(name) !== null)
    .map((name) => join(folder, name));
}

function readSubagent(path: string): SubagentInfo {
  const meta = readJsonFile(path.replace(/\.jsonl$/u, ".meta.json")) ?? {};
  return {
    id: subagentIdOf(path) ?? "",
    location: path,
    type: textField(meta, "agentType"),
    description: textField(meta, "description"),
    toolCallId: textField(meta, "toolUseId"),
    model: textField(meta, "model"),
    sizeBytes: sizeOf(path),
  };
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
