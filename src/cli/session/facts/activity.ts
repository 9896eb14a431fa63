/** The work in a session, by its calls and their results: files named, commands run, commits made. Pure. */

import { type Message, textOf } from "@continuo/core/model";
import { filesOfCall } from "@continuo/native/index-file";

export interface Commit {
  readonly branch: string;
  readonly hash: string;
  readonly subject: string;
}

export interface Activity {
  /** Paths as the calls have them, each once, in the order of their first call. */
  readonly files: readonly string[];
  /** In the order in which they were run. */
  readonly commands: readonly string[];
  /** That `git commit` reported. */
  readonly commits: readonly Commit[];
}

/** More than that says nothing to a reader; the first ones are kept. */
const MAX_ITEMS = 10_000;
const COMMAND_ARGUMENTS: readonly string[] = ["command", "cmd"];
const COMMIT = /^\[(\S+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,500})$/gmu;

export async function activityOf(history: AsyncIterable<Message>): Promise<Activity> {
  const files = new Set<string>();
  const commands: string[] = [];
  const commits: Commit[] = [];
  const byCall = new Map<string, string>();
  for await (const { content } of history) {
    for (const block of content) {
      if (block.type === "tool_call") {
        for (const file of filesOfCall(block.args)) if (files.size < MAX_ITEMS) files.add(file);
        const command = commandOf(block.args);
        if (command === null) continue;
        if (commands.length < MAX_ITEMS) commands.push(command);
        byCall.set(block.id, command);
      } else if (block.type === "tool_result") {
        const isGit = byCall.get(block.toolCallId)?.includes("git") === true;
        byCall.delete(block.toolCallId);
        // Any file can hold such a line: only what git printed counts.
        if (isGit && commits.length < MAX_ITEMS) commits.push(...commitsIn(textOf(block.content)));
      }
    }
  }
  return { files: [...files], commands, commits };
}

/** Codex gives a command as a list of words, or as text. A patch is a change of files, and no command. */
function commandOf(args: Readonly<Record<string, unknown>>): string | null {
  for (const name of COMMAND_ARGUMENTS) {
    const value = args[name];
    const text = Array.isArray(value) ? value.filter((word) => typeof word === "string").join(" ") : value;
    if (typeof text === "string" && text !== "") return text.includes("*** Begin Patch") ? null : text;
  }
  return null;
}

function commitsIn(text: string): Commit[] {
  return [...text.matchAll(COMMIT)].map(([, branch = "", hash = "", subject = ""]) => ({
    branch,
    hash,
    subject,
  }));
}
