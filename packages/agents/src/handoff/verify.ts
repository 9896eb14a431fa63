/** Shows a new session to its own agent, in a private home, before it is placed in the user's home. */

import { type AgentName, ContinuoError, type Message, present } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { formatOf } from "@continuo/native";
import { findProgram } from "../drivers/process/index.ts";
import { type SpokenTestimony, type StagedSession, witnessOf } from "../drivers/witness/index.ts";
import {
  type Comparison,
  compareViews,
  differenceBetween,
  type ReceiptRecord,
  type SpokenMessage,
} from "./converting/index.ts";

export interface Verification {
  /** The reader of the session: `continuo`, or the agent and the way in which it was asked. */
  readonly by: string;
  readonly outcome: "same";
  readonly messages: number;
  /** The difference in the agent's own insertions; left out if there is none. The conversation is the same. */
  readonly asides?: string;
}

/** Returns a receipt line if the agent reads its own insertions differently from how Continuo wrote them. */
export function asideLines({ by, asides }: Verification): ReceiptRecord[] {
  if (asides === undefined) return [];
  const reason = `content that the agent adds by itself differs when ${by} reads it: ${asides}`;
  return [{ place: "new session", kind: "other", outcome: "noted", reason }];
}

/** The command of an agent: a program and its first arguments. */
export type AgentPrograms = Readonly<Partial<Record<AgentName, readonly string[]>>>;

/** `null` if the agent is not installed. */
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

/** The written session, as Continuo reads it. */
export interface WrittenSession {
  /** The messages that the agent's model receives. */
  readonly view: readonly Message[];
  /** The conversation: the whole, and the part that the agent's model receives. */
  readonly spoken: Readonly<Record<SpokenTestimony["covers"], readonly SpokenMessage[]>>;
  readonly messages: number;
}

/**
 * Compares the messages that the agent's model would receive: those of the written session, and those that the
 * agent itself read. If an agent shows only the words of its messages, only the words are compared. Errors:
 * `verification_failed`.
 */
export async function verifyWithAgent(
  agent: AgentName,
  written: WrittenSession,
  staged: StagedSession,
): Promise<Verification> {
  const witness = await witnessOf(agent);
  if (witness === null) return { by: "continuo", outcome: "same", messages: written.messages };
  const testimony = await witness(staged);
  const { by } = testimony;
  const { compared, messages } =
    testimony.depth === "words"
      ? { compared: compareWords(written, testimony), messages: testimony.messages.length }
      : {
          compared: compareViews(written.view, (await formatOf(agent)).modelView(testimony.history)),
          messages: testimony.history.length,
        };
  if (compared.outcome === "differs") {
    throw new ContinuoError(
      "verification_failed",
      `verification failed: ${by} reads the new session differently: ${compared.difference}; nothing was written`,
      { hint: "Use `--no-verify` to hand over without this check.", details: { by } },
    );
  }
  const asides = compared.outcome === "asides" ? compared.difference : undefined;
  return present({ by, outcome: "same" as const, messages, asides });
}

function compareWords(
  { spoken }: WrittenSession,
  { covers, messages, unspoken }: SpokenTestimony,
): Comparison {
  const difference = differenceBetween(wordsOf(spoken[covers], unspoken), wordsOf(messages, unspoken));
  return difference === null ? { outcome: "same" } : { outcome: "differs", difference };
}

/** Joins texts of one role without their white space, because agents split these texts in different ways. */
function wordsOf(messages: readonly SpokenMessage[], unspoken: RegExp): SpokenMessage[] {
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
