/** Finds facts that distinguish rows with the same title: the last message, the changed files, the branches. */

import { cutText, type Message, type ToolCallBlock } from "@continuo/core/model";
import { changesOf, messageKind } from "@continuo/core/transcript";
import type { RowFacts } from "@continuo/core/wire/machine";
import { CATALOG_LIMITS } from "./limits.ts";
import type { CatalogSession } from "./open-session.ts";
import { type UsageBucket, usageOf } from "./usage.ts";

/** Markup of Markdown, which has no meaning on a single line. */
const MARKUP = /^ {0,3}(?:```.*$|#{1,6} |[-*+] (?:\[[ x]\] )?)|\*\*|`/gmu;

/** The part of a session that is read for its row. */
type ReadableSession = Pick<CatalogSession, "details" | "leaves" | "history">;

export interface RowKnowledge {
  readonly buckets: readonly UsageBucket[];
  readonly facts: RowFacts;
  /** The codes of all problems, without repetitions. */
  readonly problems: readonly string[];
  readonly forkedFrom: string | null;
}

/** Finds the tokens of every branch, the problems, and the facts of the active branch, in one read. */
export async function rowKnowledgeOf(session: ReadableSession): Promise<RowKnowledge> {
  const { details, leaves } = session;
  const fold = new RowFold();
  const active = leaves.find((leaf) => leaf.active)?.id;
  const history: CatalogSession["history"] = async function* (options) {
    // A session without branches is read without the option `leaf`.
    const isActive = options?.leaf === undefined || options.leaf === active;
    for await (const message of session.history(options)) {
      if (isActive) fold.take(message);
      yield message;
    }
  };
  const buckets = await usageOf({ details, leaves, history });
  const problems = [...new Set(details.problems.map(({ code }) => code))];
  return { buckets, facts: fold.facts(session), problems, forkedFrom: details.forkedFrom };
}

/** Collects the facts of the active branch, message by message. */
class RowFold {
  #lastWords: string | null = null;
  /** The newest change is last. A call without a result may have changed its file. */
  readonly #files = new Set<string>();
  readonly #open = new Map<string, readonly string[]>();

  take(message: Message): void {
    this.#lastWords = wordsOf(message) ?? this.#lastWords;
    for (const block of message.content) {
      if (block.type === "tool_call") this.#open.set(block.id, pathsOf(block));
      if (block.type !== "tool_result") continue;
      if (!block.isError) this.#settle(this.#open.get(block.toolCallId) ?? []);
      this.#open.delete(block.toolCallId);
    }
  }

  facts({ details, leaves }: Pick<ReadableSession, "details" | "leaves">): RowFacts {
    for (const paths of this.#open.values()) this.#settle(paths);
    this.#open.clear();
    const names = [...this.#files].reverse().slice(0, CATALOG_LIMITS.rowFiles);
    return {
      lastWords: this.#lastWords,
      fileNames: names.map((path) => cutText(path.split(/[/\\]/u).at(-1) ?? "", CATALOG_LIMITS.rowChars)),
      changedFiles: this.#files.size,
      branches: Math.max(1, leaves.length),
      isFork: details.forkedFrom !== null,
    };
  }

  #settle(paths: readonly string[]): void {
    for (const path of paths) {
      this.#files.delete(path);
      this.#files.add(path);
    }
  }
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
