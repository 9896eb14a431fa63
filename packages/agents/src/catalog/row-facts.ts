/** Facts that tell apart rows with the same title: what was said last, which files changed, which branches there are. */

import { cutText, type Message, type ToolCallBlock } from "@continuo/core/model";
import { changesOf, messageKind } from "@continuo/core/transcript";
import type { RowFacts } from "@continuo/core/wire/machine";
import { CATALOG_LIMITS } from "./limits.ts";
import type { CatalogSession } from "./open-session.ts";

/** Signs of Markdown, which say nothing on one line. */
const MARKUP = /^ {0,3}(?:```.*$|#{1,6} |[-*+] (?:\[[ x]\] )?)|\*\*|`/gmu;

/** The facts of the active branch, from a full read. */
export async function rowFactsOf(
  session: Pick<CatalogSession, "details" | "leaves" | "history">,
): Promise<RowFacts> {
  let lastWords: string | null = null;
  /** The newest change is last. A call without a result may have changed its file. */
  const files = new Set<string>();
  const open = new Map<string, readonly string[]>();
  const settle = (paths: readonly string[]): void => {
    for (const path of paths) {
      files.delete(path);
      files.add(path);
    }
  };
  for await (const message of session.history()) {
    lastWords = wordsOf(message) ?? lastWords;
    for (const block of message.content) {
      if (block.type === "tool_call") open.set(block.id, pathsOf(block));
      if (block.type !== "tool_result") continue;
      if (!block.isError) settle(open.get(block.toolCallId) ?? []);
      open.delete(block.toolCallId);
    }
  }
  for (const paths of open.values()) settle(paths);
  const names = [...files].reverse().slice(0, CATALOG_LIMITS.rowFiles);
  return {
    lastWords,
    fileNames: names.map((path) => cutText(path.split(/[/\\]/u).at(-1) ?? "", CATALOG_LIMITS.rowChars)),
    changedFiles: files.size,
    branches: Math.max(1, session.leaves.length),
    isFork: session.details.forkedFrom !== null,
  };
}

function pathsOf({ args, rawArgs }: ToolCallBlock): readonly string[] {
  const isRaw = rawArgs !== undefined && Object.keys(args).length === 0;
  return changesOf(isRaw ? rawArgs : args).flatMap(({ path, lines }) =>
    lines.length === 0 ? [] : (path ?? []),
  );
}

function wordsOf(message: Message): string | null {
  if (messageKind(message) !== "agent") return null;
  const block = message.content.findLast((one) => one.type === "text" && one.text.trim() !== "");
  if (block?.type !== "text") return null;
  const words = block.text.trim().slice(0, 2_000).replaceAll(MARKUP, "").replaceAll(/\s+/gu, " ");
  return cutText(words.trim(), CATALOG_LIMITS.rowChars);
}
