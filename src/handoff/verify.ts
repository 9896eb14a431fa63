/** A new session shown to its own agent, in a private home, before it goes to the user's. */

import { findProgram } from "../drivers/process/index.ts";
import { type StagedSession, witnessOf } from "../drivers/witness/index.ts";
import type { Places } from "../files/index.ts";
import { type AgentName, ContinuoError } from "../model/index.ts";
import { differenceBetween, type SpokenMessage } from "./converting/index.ts";

export interface Verification {
  /** Who read the session back: `continuo`, or the agent and how. */
  readonly by: string;
  readonly outcome: "same";
  readonly messages: number;
}

/** The words that start an agent: a program and its first arguments. */
export type AgentPrograms = Readonly<Partial<Record<AgentName, readonly string[]>>>;

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

/** What was written: all of it, and the part that the agent's model is sent. */
export interface WrittenSession {
  readonly history: readonly SpokenMessage[];
  readonly modelView: readonly SpokenMessage[];
}

/** Errors: `verification_failed`. */
export async function verifyWithAgent(
  agent: AgentName,
  { history, modelView }: WrittenSession,
  staged: StagedSession,
): Promise<Verification> {
  const witness = await witnessOf(agent);
  if (witness === null) return { by: "continuo", outcome: "same", messages: history.length };
  const told = await witness(staged);
  const written = told.covers === "history" ? history : modelView;
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
    `verification failed: ${told.by} reads the new session differently: ${difference}; nothing was written`,
    {
      hint: "Try again; nothing was written.",
    },
  );
}

/** The text of each turn: agents divide it in different ways. */
function wordsOf(messages: readonly SpokenMessage[], unspoken = /$^/u): SpokenMessage[] {
  const turns: { role: SpokenMessage["role"]; text: string }[] = [];
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
