/** The present state of a chat, as a page receives it. */

import type { ListedSession } from "@continuo/agents/catalog";
import { agentsAt } from "@continuo/agents/conversations";
import { ContinuoError, messageOf, openInAgent } from "@continuo/core/model";
import { CHAT_LIMITS, type ChatState, isTrashKey } from "@continuo/core/wire/machine";
import { runnerOf } from "@continuo/store/sessions";
import { LIVE_LIMITS } from "./limits.ts";
import type { ChatParts, ChatSession } from "./parts.ts";
import { foldRuns, type KnownRun, RUN_EVENT_TYPES, toChatRun, unansweredOf } from "./runs.ts";
import { questionsElsewhere } from "./stored-questions.ts";

export interface Agents {
  readonly names: readonly string[];
  /** The reason why no agent can be asked. */
  readonly problem: string | null;
}

export async function agentsOf({ options }: ChatParts, { cwd }: ListedSession): Promise<Agents> {
  try {
    return { names: await agentsAt(options.places, cwd ?? options.places.cwd), problem: null };
  } catch (error) {
    return { names: [], problem: messageOf(error) };
  }
}

/** Why no prompt can be sent to a session that is not open here. */
export function readOnlyOf({ key, row, parentKey }: ChatSession): ContinuoError | null {
  if (isTrashKey(key)) {
    return new ContinuoError("unsupported", "the session is in the trash", { hint: "Restore it first." });
  }
  if (parentKey !== null) {
    return new ContinuoError("unsupported", "a sub-agent is a part of the session that started it", {
      hint: "Open the session that started it.",
    });
  }
  if (row.live !== true) return null;
  return openInAgent(row);
}

/** A native session has no turns here until it is imported. */
export function stateOfNative(named: ChatSession, agents: Agents): ChatState {
  return {
    agent: named.row.agent,
    agents: agents.names,
    readOnly: readOnlyOf(named)?.message ?? agents.problem,
    running: null,
    waiting: [],
    questions: [],
    answered: [],
    unanswered: [],
  };
}

export async function stateOfOwn(
  { chats, store, options: { places } }: ChatParts,
  named: ChatSession,
  agents: Agents,
): Promise<{ readonly state: ChatState; readonly running: KnownRun | null }> {
  const { sessionId, agent } = named.row;
  const own = await store();
  const chat = chats.get(sessionId);
  const [{ events }, session, runner] = await Promise.all([
    own.read(sessionId, { types: [...RUN_EVENT_TYPES], order: "newest", limit: LIVE_LIMITS.runEvents }),
    own.getSession(sessionId),
    runnerOf(own, sessionId),
  ]);
  // The next prompt ends runs that a dead process left behind.
  const isLeft = runner === null && chat === undefined;
  const runs = isLeft ? foldRuns(events).map(toLeft) : foldRuns(events);
  const running = runs.findLast(({ status }) => status === "running") ?? null;
  const isElsewhere = running !== null && chat?.isOwnRun(running.runId) !== true;
  const questions = isElsewhere
    ? await questionsElsewhere({
        store: own,
        sessionId,
        runId: running.runId,
        places,
        agent: running.agent ?? session?.agent ?? agent,
        cwd: session?.cwd ?? null,
      })
    : (chat?.questions.open ?? []);
  // The session may also be open in an agent that this server started, which does not count as elsewhere.
  const elsewhere = chat === undefined && runner === null ? readOnlyOf(named) : null;
  const state: ChatState = {
    agent: chat?.talk.agent ?? session?.agent ?? agents.names[0] ?? agent,
    agents: agents.names,
    readOnly: elsewhere?.message ?? agents.problem,
    running: running === null ? null : toChatRun(running),
    waiting: runs
      .filter(({ status }) => status === "pending")
      .slice(0, CHAT_LIMITS.waiting)
      .map(toChatRun),
    questions,
    answered: chat?.questions.answered ?? [],
    unanswered: unansweredOf(runs).map(toChatRun),
  };
  return { state, running };
}

function toLeft(run: KnownRun): KnownRun {
  const isLeft = run.status === "running" || run.status === "pending";
  return isLeft ? { ...run, status: "interrupted", message: "the process that ran it has ended" } : run;
}
