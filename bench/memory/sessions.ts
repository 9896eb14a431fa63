/**
 * Sessions of any size in the agents' own forms, written piece by piece, so that writing a large one needs little
 * memory.
 */

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Conversation, makeConversation } from "../sessions/conversation.ts";
import { createRandom, type Random } from "../sessions/random.ts";
import { toClaude, toCodex, toGemini, toPi } from "../sessions/shapes/index.ts";

export type FileAgent = "claude" | "codex" | "gemini" | "pi";

export const FILE_AGENTS: readonly FileAgent[] = ["claude", "codex", "gemini", "pi"];

/** `turns`: many turns of ordinary size; `results`: few results of megabytes each. */
export type Shape = "turns" | "results";

export interface WrittenSession {
  readonly agent: FileAgent;
  readonly sessionId: string;
  readonly path: string;
  readonly sizeBytes: number;
}

export interface SessionWish {
  readonly agent: FileAgent;
  readonly home: string;
  readonly cwd: string;
  readonly sizeBytes: number;
  readonly shape: Shape;
}

const SHAPES = { claude: toClaude, codex: toCodex, gemini: toGemini, pi: toPi } as const;

/** The key with which an entry names the previous one, if the agent's entries have it. */
const LINKS: Partial<Record<FileAgent, { readonly id: string; readonly parent: string }>> = {
  claude: { id: "uuid", parent: "parentUuid" },
  pi: { id: "id", parent: "parentId" },
};

const PIECE_BYTES = 1_000_000;
const RESULT_CHARS = 4_000_000;

export function writeSession({ agent, home, cwd, sizeBytes, shape }: SessionWish): WrittenSession {
  const random = createRandom(20261123);
  const first = { ...makeConversation(random, PIECE_BYTES, 1), cwd, title: null };
  const { path, lines, beside } = SHAPES[agent](first, random, home);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  if (beside !== undefined) writeFileSync(beside.path, beside.text);
  const link = LINKS[agent];
  let tip: unknown = null;
  let written = 0;
  for (let piece = lines; written < sizeBytes; piece = nextLines(agent, first, { random, home, shape })) {
    const texts = piece.map((line) => {
      const linked = link === undefined ? line : withParent(line, link.parent, tip);
      if (link !== undefined) tip = (linked as Readonly<Record<string, unknown>>)[link.id] ?? tip;
      return `${JSON.stringify(linked)}\n`;
    });
    const text = texts.join("");
    appendFileSync(path, text);
    written += Buffer.byteLength(text);
  }
  return { agent, sessionId: first.id, path, sizeBytes: written };
}

interface MakeOptions {
  readonly random: Random;
  readonly home: string;
  readonly shape: Shape;
}

/** The records without the lines that are only at the beginning of a file. */
function nextLines(
  agent: FileAgent,
  { id, cwd }: Conversation,
  { random, home, shape }: MakeOptions,
): readonly unknown[] {
  const made = makeConversation(random, shape === "turns" ? PIECE_BYTES : 1, 1);
  const [turn] = made.turns;
  const output = random.code(1000).repeat(RESULT_CHARS / 1000);
  const large = {
    thinking: "Look.",
    tool: "Bash",
    input: { command: "cat large" },
    output,
    isError: false,
  } as const;
  const turns = shape === "turns" || turn === undefined ? made.turns : [{ ...turn, steps: [large] }];
  const { lines } = SHAPES[agent]({ ...made, id, cwd, title: null, turns }, random, home);
  return agent === "claude" ? lines : lines.slice(1);
}

function withParent(line: unknown, key: string, parent: unknown): unknown {
  const fields = line as Readonly<Record<string, unknown>>;
  return fields[key] === null && parent !== null ? { ...fields, [key]: parent } : line;
}
