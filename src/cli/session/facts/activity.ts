/** The work in a session, from its calls and their results: named files, run commands, and commits. Pure. */

import type { Message, ToolCallBlock } from "@continuo/core/model";
import { commandOf, commitsOf } from "@continuo/core/transcript/work";
import { filesOfCall } from "@continuo/native/index-file";

export interface Commit {
  readonly branch: string;
  readonly hash: string;
  readonly subject: string;
}

export interface Activity {
  /** Paths as they are written in the calls, each once, in the order of their first call. */
  readonly files: readonly string[];
  /** In the order in which they were run. */
  readonly commands: readonly string[];
  /** The commits that `git commit` reported. */
  readonly commits: readonly Commit[];
}

/** More than this is not useful to a reader; the first ones are kept. */
const MAX_ITEMS = 10_000;

export async function activityOf(history: AsyncIterable<Message>): Promise<Activity> {
  const files = new Set<string>();
  const commands: string[] = [];
  const commits: Commit[] = [];
  const ran = new Map<string, ToolCallBlock>();
  for await (const { content } of history) {
    for (const block of content) {
      if (block.type === "tool_call") {
        for (const file of filesOfCall(block.args)) if (files.size < MAX_ITEMS) files.add(file);
        const command = commandOf(block);
        if (command === null) continue;
        if (commands.length < MAX_ITEMS) commands.push(command);
        ran.set(block.id, block);
      } else if (block.type === "tool_result") {
        const call = ran.get(block.toolCallId);
        ran.delete(block.toolCallId);
        const made = call === undefined || commits.length >= MAX_ITEMS ? [] : commitsOf(call, block);
        for (const { branch, hash, subject } of made)
          if (branch !== null && hash !== null) commits.push({ branch, hash, subject });
      }
    }
  }
  return { files: [...files], commands, commits };
}
