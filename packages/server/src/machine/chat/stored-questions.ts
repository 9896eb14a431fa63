/** Permission questions of turns that another process runs. The log has the questions and receives the answers. */

import { answerQuestion, openQuestionsOf, readSettings } from "@continuo/agents/conversations";
import { ContinuoError, isContinuoError, type Store } from "@continuo/core/model";
import {
  type AnswerCall,
  type AnswerRequest,
  CHAT_LIMITS,
  type ChatQuestion,
} from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import { decisionOf, notOpen, toShown } from "./questions.ts";

export interface QuestionsElsewhere {
  readonly store: Store;
  readonly sessionId: string;
  readonly runId: string;
  readonly places: PlacesAt;
  /** The agent and the folder of the run: the configuration of the folder has the time limit for this agent. */
  readonly agent: string;
  readonly cwd: string | null;
}

export async function questionsElsewhere(of: QuestionsElsewhere): Promise<readonly ChatQuestion[]> {
  const asked = await openQuestionsOf(of);
  if (asked.length === 0) return [];
  const limitMs = await timeLimitOf(of);
  return asked
    .slice(0, CHAT_LIMITS.questions)
    .map((request) => toShown(request, untilOf(request.askedAt, limitMs)));
}

/**
 * Errors: `not_found` for a question that is not open, `conflict` if somebody else answered first, `invalid`,
 * `forbidden`.
 */
export async function answerElsewhere(
  of: Omit<QuestionsElsewhere, "agent" | "cwd" | "places">,
  { given, lasting }: { readonly given: AnswerRequest; readonly lasting: AnswerCall["lasting"] },
): Promise<void> {
  const { approvalId } = given;
  const request = (await openQuestionsOf(of)).find((one) => one.approvalId === approvalId);
  if (request === undefined) throw notOpen(approvalId, []);
  const shown = toShown(request, request.askedAt);
  const counted = await answerQuestion({ ...of, approvalId }, decisionOf(given, { request, shown, lasting }));
  if (counted === null) throw notOpen(approvalId, []);
  if (counted.isGiven) return;
  throw new ContinuoError("conflict", "the question was answered first in another program", {
    hint: "Look at the turn: the first answer counts.",
  });
}

function untilOf(askedAt: string, limitMs: number): string {
  return new Date(Date.parse(askedAt) + limitMs).toISOString();
}

/** The time limit in the configuration. The flags of the process that asks can set another one. */
async function timeLimitOf({ places, agent, cwd }: QuestionsElsewhere): Promise<number> {
  try {
    const { agents } = await readSettings(places, cwd ?? places.cwd);
    return agents[agent]?.permissions.timeoutMs ?? DEFAULT_LIMIT_MS;
  } catch (error) {
    // A question can be answered although the configuration of its project cannot be read.
    if (!isContinuoError(error)) throw error;
    return DEFAULT_LIMIT_MS;
  }
}

const DEFAULT_LIMIT_MS = 10 * 60_000;
