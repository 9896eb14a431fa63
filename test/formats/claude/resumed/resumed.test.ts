/** The reader finds the branch that Claude Code resumed, and its model view has the messages that Claude Code sent. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Message } from "@continuo/core/model";
import { claudeFormat } from "@continuo/native/claude";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../scratch-folder.ts";

interface SentBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: string | readonly SentBlock[];
}

interface Case {
  readonly name: string;
  readonly file: readonly unknown[];
  readonly sent: readonly { readonly role: string; readonly content: string | readonly SentBlock[] }[];
}

const CASES = ["cases.jsonl", "shuffled.jsonl"].flatMap((name) =>
  readFileSync(new URL(name, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line): Case => JSON.parse(line)),
);

/**
 * The API refuses an empty text. A history cannot distinguish `""` from `[""]`, which the comment of `modelView`
 * describes.
 */
const KNOWN_DIFFERENCE = "emptyUser";

const folder = scratchFolder("resumed");
const places = { home: folder, env: {} };

test.each(CASES.filter(({ name }) => name !== KNOWN_DIFFERENCE))(
  "resumed as Claude Code does: $name",
  async ({ name, file, sent }) => {
    const path = join(folder, `${name}.jsonl`);
    writeFileSync(path, file.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const found = await claudeFormat.recognise(path, places);
    if (found === null) throw new Error("not recognised");
    using session = await claudeFormat.open(found, places, {});
    const history = await Array.fromAsync(session.history());
    expect(joinTurns(claudeFormat.modelView(history).map(fromOurs))).toEqual(
      withoutNext(joinTurns(sent.map(fromSent))),
    );
    expect(history).toHaveLength(session.details.messages.total);
  },
);

interface ResumedTurn {
  readonly role: string;
  readonly parts: readonly string[];
}

function fromOurs(message: Message): ResumedTurn {
  return {
    role: message.role === "assistant" ? "assistant" : "user",
    parts: message.content.map(partOfOurs),
  };
}

function partOfOurs(block: Block): string {
  if (block.type === "text") return block.text.trim();
  if (block.type === "thinking") return `thinking ${block.text}`;
  if (block.type === "tool_call") return `call ${block.id}`;
  if (block.type === "tool_result")
    return `result ${block.toolCallId}: ${block.content.map(partOfOurs).join("|")}`;
  return block.type === "file" ? "document" : block.type;
}

function fromSent({ role, content }: Case["sent"][number]): ResumedTurn {
  return { role, parts: typeof content === "string" ? [content.trim()] : content.map(partOfSent) };
}

function partOfSent(block: SentBlock): string {
  if (block.type === "text") return (block.text ?? "").trim();
  if (block.type === "thinking") return `thinking ${block.thinking}`;
  if (block.type === "tool_use") return `call ${block.id}`;
  if (block.type !== "tool_result") return block.type;
  const content =
    typeof block.content === "string" ? block.content : (block.content ?? []).map(partOfSent).join("|");
  return `result ${block.tool_use_id}: ${content}`;
}

/** The API joins consecutive messages of the user. */
function joinTurns(turns: readonly ResumedTurn[]): ResumedTurn[] {
  const joined: ResumedTurn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (turn.role !== "user" || last?.role !== "user") joined.push(turn);
    else joined[joined.length - 1] = { role: "user", parts: [...last.parts, ...turn.parts] };
  }
  return joined;
}

function withoutNext(turns: readonly ResumedTurn[]): ResumedTurn[] {
  return turns
    .map((turn) => ({ ...turn, parts: turn.parts.filter((part) => part !== "NEXT") }))
    .filter((turn, at) => at < turns.length - 1 || turn.parts.length > 0);
}
