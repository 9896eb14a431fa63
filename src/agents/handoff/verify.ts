/** A new session shown to its own agent, in a private home, before it goes to the user's. */

import { type AgentName, ContinuoError } from "../../model/index.ts";
import { differenceBetween, type Said } from "../converting/index.ts";
import { findProgram } from "../process/index.ts";
import type { Places } from "../reader/index.ts";
import type { StagedSession, Witness } from "../witness/index.ts";

export interface Verification {
  /** Who read the session back: `continuo`, or the agent and how. */
  readonly by: string;
  readonly outcome: "same";
  readonly messages: number;
}

/** The words that start an agent: a program and its first arguments. */
export type AgentPrograms = Readonly<Partial<Record<AgentName, readonly string[]>>>;

const WITNESSES: Readonly<Record<AgentName, () => Promise<Witness>>> = {
  claude: async () => (await import("../claude/index.ts")).claudeWitness,
  codex: async () => (await import("../codex/index.ts")).codexWitness,
  gemini: async () => (await import("../gemini/index.ts")).geminiWitness,
  pi: async () => (await import("../pi/index.ts")).piWitness,
  opencode: async () => (await import("../opencode/index.ts")).opencodeWitness,
};

/** `null` where the agent is not installed. */
export function programOf(
  agent: AgentName,
  places: Places,
  programs: AgentPrograms = {},
): readonly string[] | null {
  const given = programs[agent];
  if (given !== undefined) return given;
  const path = findProgram(agent, places.env.PATH ?? "", places.home);
  return path === null ? null : [path];
}

export async function witnessOf(agent: AgentName): Promise<Witness> {
  return await WITNESSES[agent]();
}

/** Errors: `verification_failed`. */
export async function verifyWithAgent(
  agent: AgentName,
  written: readonly Said[],
  staged: StagedSession,
): Promise<Verification> {
  const witness = await witnessOf(agent);
  const told = await witness(staged);
  const isAll = told.depth === "all";
  const difference = differenceBetween(
    isAll ? written : wordsOf(written, told.unspoken),
    (isAll ? told.messages : wordsOf(told.messages, told.unspoken)).map((message, at) => ({
      ...message,
      id: String(at),
      metadata: {},
    })),
  );
  if (difference === null) return { by: told.by, outcome: "same", messages: told.messages.length };
  throw new ContinuoError(
    "verification_failed",
    `${told.by} reads the new session differently: ${difference}`,
    {
      hint: "Nothing was written.",
    },
  );
}

/** What is said in words, one text a turn: agents tell it in pieces of their own. */
function wordsOf(messages: readonly Said[], unspoken = /$^/u): Said[] {
  const turns: { role: Said["role"]; text: string }[] = [];
  for (const { role, content } of messages) {
    if (role === "tool") continue;
    const texts = content.map((block) => (block.type === "text" ? block.text.replace(unspoken, "") : ""));
    const text = texts.join("");
    if (text.trim() === "") continue;
    const last = turns.at(-1);
    if (last?.role === role) last.text += text;
    else turns.push({ role, text });
  }
  return turns.map(({ role, text }) => ({
    role,
    content: [{ type: "text", text: text.replace(/\s+/gu, "") }],
  }));
}
