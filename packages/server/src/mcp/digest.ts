/**
 * A session in a few hundred words, made without a model: what was requested, what was decided, which files were
 * changed, and what is open. Each text has the number of its turn. All texts are quotes, except those that describe an
 * unfinished last turn. Pure.
 */

import { filesOfCall, type SessionTurn } from "@continuo/agents/catalog";
import { type Message, type ToolCallBlock, typedIn } from "@continuo/core/model";
import { messageKind } from "@continuo/core/transcript";
import { isDecision, isOpen, sentencesOf } from "./sentences.ts";

export interface DigestPiece {
  readonly turn: number;
  readonly text: string;
}

export interface FileUse {
  readonly path: string;
  /** The number of calls that change files and name this one. */
  readonly changes: number;
  /** The number of other calls that name it. */
  readonly looks: number;
}

export interface Digest {
  readonly turns: number;
  /** The requests of the person, in order; the first one is the goal. */
  readonly requests: readonly DigestPiece[];
  readonly decisions: readonly DigestPiece[];
  /** Sorted by the number of changes, then by the number of other calls. */
  readonly files: readonly FileUse[];
  /** The unfinished work, as far as the session shows it; the newest last. */
  readonly openEnds: readonly DigestPiece[];
  /** The last words of the agent. */
  readonly lastAnswer: DigestPiece | null;
}

/** Tools of the agents that change the files that they name. */
const CHANGING =
  /^(?:edit|multiedit|write|notebookedit|apply_patch|patch|replace|write_file|create|create_file|str_replace\w*)$/iu;
const MAX_ITEMS = 2_000;

export interface DigestFold {
  add(turn: SessionTurn): void;
  finish(): Digest;
}

/** @param mask is applied to every text before a sentence is taken from it */
export function createDigest(mask: (text: string) => string): DigestFold {
  const requests: DigestPiece[] = [];
  const decisions: DigestPiece[] = [];
  const files = new Map<string, { changes: number; looks: number }>();
  let [turns, asked] = [0, [] as readonly DigestPiece[]];
  let tasks: readonly DigestPiece[] | null = null;
  let last: SessionTurn | null = null;
  let lastAnswer: DigestPiece | null = null;

  const saidBy = (turn: SessionTurn, kind: Speaker): string[] => textsBy(turn, kind).map(mask);
  const useFiles = (call: ToolCallBlock): void => {
    const isChange = CHANGING.test(call.name);
    for (const path of new Set(filesOfCall(call.args).map(mask))) {
      const use = files.get(path) ?? { changes: 0, looks: 0 };
      if (files.size < MAX_ITEMS || files.has(path)) files.set(path, use);
      use[isChange ? "changes" : "looks"] += 1;
    }
  };

  return {
    add(turn) {
      turns = turn.number;
      last = turn;
      const said = {
        person: saidBy(turn, "person"),
        agent: saidBy(turn, "agent"),
        summary: saidBy(turn, "summary"),
      };
      for (const text of said.person) push(requests, { turn: turn.number, text });
      for (const text of [...said.agent, ...said.summary]) {
        for (const one of sentencesOf(text))
          if (isDecision(one)) push(decisions, { turn: turn.number, text: one });
      }
      for (const call of callsOf(turn.messages)) {
        useFiles(call);
        tasks = openTasksOf(call)?.map((text) => ({ turn: turn.number, text: mask(text) })) ?? tasks;
      }
      const answer = said.agent.at(-1);
      if (answer !== undefined) lastAnswer = { turn: turn.number, text: answer };
      asked = said.agent
        .slice(-1)
        .flatMap((text) => sentencesOf(text))
        .filter(isOpen)
        .map((text) => ({ turn: turn.number, text }));
    },
    finish() {
      const openEnds = [...(tasks ?? []), ...asked, ...(last === null ? [] : unfinishedIn(last))];
      const uses = [...files].map(([path, use]) => ({ path, ...use }));
      return { turns, requests, decisions, files: uses.sort(byUse), openEnds, lastAnswer };
    },
  };
}

function push(pieces: DigestPiece[], piece: DigestPiece): void {
  if (pieces.length < MAX_ITEMS && pieces.every(({ text }) => text !== piece.text)) pieces.push(piece);
}

type Speaker = "person" | "agent" | "summary";

function textsBy({ messages }: SessionTurn, kind: Speaker): string[] {
  return messages
    .filter((message) => messageKind(message) === kind)
    .map(({ content }) =>
      content.flatMap((block) => (block.type === "text" ? [typedIn(block).trim()] : [])).join("\n\n"),
    )
    .filter((text) => text !== "");
}

function* callsOf(messages: readonly Message[]): Generator<ToolCallBlock, void, void> {
  for (const { content } of messages)
    for (const block of content) if (block.type === "tool_call") yield block;
}

function byUse(a: FileUse, b: FileUse): number {
  return b.changes - a.changes || b.looks - a.looks || (a.path < b.path ? -1 : 1);
}

/** Returns what is unfinished in the last turn: calls without a result, a failed last call, or a missing answer. */
function unfinishedIn({ number, messages }: SessionTurn): DigestPiece[] {
  const ends: DigestPiece[] = [];
  const results = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" ? [[block.toolCallId, block] as const] : [])),
    ),
  );
  const calls = [...callsOf(messages)];
  const open = calls.filter(({ id }) => !results.has(id));
  if (open.length > 0)
    ends.push({ turn: number, text: `no result yet: ${open.map(({ name }) => name).join(", ")}` });
  const lastCall = calls.at(-1);
  const result = lastCall === undefined ? undefined : results.get(lastCall.id);
  const isAnswered = messages.some((message) => messageKind(message) === "agent" && hasText(message));
  if (result?.isError === true) ends.push({ turn: number, text: `the last call failed: ${lastCall?.name}` });
  if (!isAnswered && open.length === 0) ends.push({ turn: number, text: "the person has no answer yet" });
  return ends;
}

function hasText({ content }: Message): boolean {
  return content.some((block) => block.type === "text" && block.text.trim() !== "");
}

const LISTS = /^(?:todo_?write|write_todos|update_plan)$/iu;
const DONE = new Set(["completed", "complete", "done", "cancelled", "canceled"]);
const TEXTS = ["content", "step", "description", "title", "task"];
const MAX_TASKS = 100;

/**
 * The open tasks of a call of `TodoWrite`, `update_plan`, `write_todos` or `todowrite`, which contains the whole list;
 * `null` for any other call.
 */
function openTasksOf({ name, args }: Pick<ToolCallBlock, "name" | "args">): string[] | null {
  if (!LISTS.test(name)) return null;
  const list = [args.todos, args.plan, args.tasks].find((value) => Array.isArray(value));
  if (list === undefined) return null;
  return (list as readonly unknown[]).slice(0, MAX_TASKS).flatMap((task) => {
    if (typeof task !== "object" || task === null) return [];
    const fields = task as Readonly<Record<string, unknown>>;
    const text = TEXTS.map((key) => fields[key]).find((value) => typeof value === "string");
    return typeof text !== "string" || DONE.has(String(fields.status)) ? [] : [text];
  });
}
