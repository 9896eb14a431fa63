/**
 * Stands in for an agent that reads a new session: `node stand-in.ts AGENT [CHANGE]`, then the agent's own arguments.
 *
 * `claude` writes a copy of the session, as `--fork-session` does. `pi` returns the messages of its branch after the
 * last compaction, including those that it would not send to its model, as `get_messages` does. CHANGE is an error of
 * the agent in a text that contains the given words: it `loses` the line, or `says` something else there.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [, , agent, change = "", ...args] = process.argv;
const [how = "", words = ""] = change.split(":");

function after(flag: string): string {
  return args[args.indexOf(flag) + 1] ?? "";
}

function changed(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    if (words === "" || !line.includes(words)) return [line];
    return how === "loses" ? [] : [line.replaceAll(words, "something else")];
  });
}

function linesOf(path: string): string[] {
  return changed(readFileSync(path, "utf8").trimEnd().split("\n"));
}

type PiEntry = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string };

/** Returns the messages of a session of pi, as version 1.5.2 assembles them when it opens one. */
function messagesOfPi(entries: readonly PiEntry[]): unknown[] {
  const branch = branchOf(entries);
  const at = branch.findLastIndex(({ type }) => type === "compaction");
  const compaction = branch[at];
  const kept = branch.findIndex(({ id }) => id === compaction?.firstKeptEntryId);
  const before = kept === -1 ? [] : branch.slice(kept, at).filter(({ type }) => type !== "compaction");
  const inContext = compaction === undefined ? branch : [compaction, ...before, ...branch.slice(at + 1)];
  const edits = new Map(
    inContext.flatMap(({ type, targetId, replacement }) =>
      type === "context_edit" ? [[targetId, replacement]] : [],
    ),
  );
  return inContext.flatMap((entry) => {
    const message = messageOfPi(entry);
    if (message === null || edits.get(entry.id) === null) return [];
    return [{ ...message, ...(edits.get(entry.id) as object | undefined) }];
  });
}

/** The entries from the first one to the last line of the file. */
function branchOf(entries: readonly PiEntry[]): PiEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const branch: PiEntry[] = [];
  for (let entry = entries.at(-1); entry !== undefined; entry = byId.get(String(entry.parentId))) {
    branch.unshift(entry);
  }
  return branch;
}

function messageOfPi(entry: PiEntry): object | null {
  switch (entry.type) {
    case "message":
      return entry.message as object;
    case "custom_message":
      return { ...entry, role: "custom" };
    case "branch_summary":
      return { ...entry, role: "branchSummary" };
    case "compaction":
      return { ...entry, role: "compactionSummary" };
    default:
      return null;
  }
}

if (agent === "claude") {
  const projects = join(process.env.HOME ?? "", ".claude", "projects");
  const id = after("--resume");
  const name = readdirSync(projects, { recursive: true, encoding: "utf8" }).find((one) =>
    one.endsWith(`${id}.jsonl`),
  );
  const copy = linesOf(join(projects, name ?? "")).map((line) => line.replaceAll(id, after("--session-id")));
  writeFileSync(join(projects, name ?? "", "..", `${after("--session-id")}.jsonl`), `${copy.join("\n")}\n`);
}

if (agent === "pi") {
  const messages = messagesOfPi(linesOf(after("--session")).map((line) => JSON.parse(line)));
  for await (const line of createInterface({ input: process.stdin })) {
    const { id } = JSON.parse(line);
    process.stdout.write(`${JSON.stringify({ type: "response", id, success: true, data: { messages } })}\n`);
  }
}
