/** Evaluation by replay: each input of a session, given to another agent after the same conversation. */

import {
  type Agent,
  isEvent,
  listAll,
  present,
  type Run,
  readAll,
  type Store,
  textOf,
} from "@continuo/core/model";
import { isInput, type RunInput, runOnce } from "@continuo/store/sessions";
import { contextOf, toDefinition } from "./agents.ts";
import type { AgentDefinition, ReplayedRun, ReplayOptions } from "./types.ts";

type Answer = ReplayedRun["before"];

/** Sessions of a replay fork the original before each input, so that earlier answers are the original ones. */
export async function replaySession<Value>(
  store: Store,
  sessionId: string,
  { agent, keep = false, signal }: ReplayOptions<Value>,
): Promise<readonly ReplayedRun[]> {
  const replayed: ReplayedRun[] = [];
  const call = present({ signal });
  for await (const run of listAll((place) => store.listRuns({ sessionId, ...place, ...call }))) {
    // A retry is answered in the place of its input.
    if (run.metadata.retryOf !== undefined || !isInput(run.input)) continue;
    replayed.push(
      await replayRun(store, run, { input: run.input, agent: toDefinition(agent), keep, ...call }),
    );
  }
  return replayed;
}

interface RunReplay {
  readonly input: RunInput;
  readonly agent: AgentDefinition;
  readonly keep: boolean;
  readonly signal?: AbortSignal;
}

async function replayRun(
  store: Store,
  run: Run,
  { input, agent, keep, signal }: RunReplay,
): Promise<ReplayedRun> {
  const { runId, sessionId } = run;
  const { events } = await store.read(sessionId, { runId, types: ["run_created"], limit: 1 });
  const sequence = (events[0]?.sequence ?? 1) - 1;
  const fork = await store.createSession({
    forkedFrom: { logId: sessionId, sequence },
    metadata: { replayOf: runId },
  });
  try {
    const opened = await agent.open({
      onPermission: async () => ({ outcome: "denied", by: "policy", reason: "nobody is asked in a replay" }),
    });
    const result = await execute(store, opened, { input, sessionId: fork.sessionId, agent, signal });
    return {
      runId,
      input: typeof input === "string" ? input : textOf(input),
      before: await answerOf(store, sessionId, runId),
      after: {
        ...(await answerOf(store, fork.sessionId, result.runId)),
        status: result.status,
        ...present({ value: result.value }),
      },
    };
  } finally {
    if (!keep) await store.deleteSession(fork.sessionId, { reason: "the replay has ended" });
  }
}

interface Execution {
  readonly input: RunInput;
  readonly sessionId: string;
  readonly agent: AgentDefinition;
  readonly signal: AbortSignal | undefined;
}

async function execute(
  store: Store,
  opened: Agent & Partial<AsyncDisposable>,
  { input, sessionId, agent, signal }: Execution,
): ReturnType<typeof runOnce> {
  try {
    const options = present({ continuationOpts: await contextOf(agent), signal });
    return await runOnce(store, opened, input, { sessionId, continuation: "replay", ...options });
  } finally {
    await opened[Symbol.asyncDispose]?.();
  }
}

async function answerOf(store: Store, sessionId: string, runId: string): Promise<Answer> {
  let text = "";
  const tools: string[] = [];
  let usage: Answer["usage"];
  for await (const event of readAll(store, sessionId, { runId })) {
    if (isEvent(event, "message_received")) {
      const { content } = event.data;
      text = typeof content === "string" ? content : textOf(content);
    }
    if (isEvent(event, "tool_call_started")) tools.push(event.data.toolName);
    if (isEvent(event, "run_completed") || isEvent(event, "run_failed")) usage = event.data.usage;
  }
  return { text, tools, ...present({ usage }) };
}
