/**
 * The metrics of runs, and their spans by the semantic conventions for generative AI: a run is `invoke_agent`, and each
 * call of a tool is `execute_tool` below it. This is the same for every agent.
 */

import type { Agent, AgentEvent, Run } from "@continuo/core/model";
import {
  type Attributes,
  capturesMessageContent,
  createMeter,
  inSpan,
  type Meter,
  type Metric,
  type OpenSpan,
  openSpan,
} from "@continuo/files";
import type { RunResult } from "./result.ts";

type Histograms = "continuo.run.duration" | "continuo.run.queue.duration";

export const RUN_METRICS: Readonly<Record<Histograms | "continuo.run.active", Metric>> = {
  "continuo.run.duration": {
    kind: "histogram",
    unit: "s",
    says: "How long a run took with its wait, by `gen_ai.agent.name` and `status`.",
  },
  "continuo.run.queue.duration": {
    kind: "histogram",
    unit: "s",
    says: "From the start of a run until it had its turn, by `gen_ai.agent.name`.",
  },
  "continuo.run.active": {
    kind: "gauge",
    unit: "{run}",
    says: "Runs that this process executes, or that wait in it for their turn.",
  },
};

const meter: Meter<never, Histograms, "continuo.run.active"> = createMeter("continuo.sessions", RUN_METRICS);
let active = 0;
meter.observe("continuo.run.active", () => [{ value: active, attributes: {} }]);

export interface ObservedRun {
  /** The same agent, with its tool calls recorded as spans. */
  readonly agent: Agent;
  /** Call it when the run has its turn. */
  began(run: Run): void;
}

export async function observeRun(
  agent: Agent,
  runId: string,
  work: (observed: ObservedRun) => Promise<RunResult>,
): Promise<RunResult> {
  const named = { "gen_ai.agent.name": agent.name };
  const attributes = { "gen_ai.operation.name": "invoke_agent", "continuo.run.id": runId, ...named };
  const begunMs = performance.now();
  const tools = new Map<string, OpenSpan>();
  active++;
  try {
    return await inSpan(`invoke_agent ${agent.name}`, { attributes }, async (span) => {
      const result = await work({
        agent: seen(agent, (event) => see(tools, event)),
        began: ({ sessionId, createdAt }) => {
          const waited = Math.max(0, Date.now() - Date.parse(createdAt)) / 1_000;
          span.setAttributes({ "gen_ai.conversation.id": sessionId, "continuo.run.queue.duration": waited });
          meter.record("continuo.run.queue.duration", waited, named);
        },
      });
      span.setAttributes(endOf(result));
      // In the API of OpenTelemetry, 2 means an error.
      if (result.status === "failed") span.setStatus({ code: 2 });
      meter.record("continuo.run.duration", (performance.now() - begunMs) / 1_000, {
        ...named,
        status: result.status,
      });
      return result;
    });
  } finally {
    active--;
    for (const tool of tools.values()) tool.end();
  }
}

function endOf(result: RunResult): Attributes {
  const { status, usage } = result;
  return {
    "continuo.run.status": status,
    ...(result.status === "failed" ? { "error.type": result.error.code } : {}),
    ...(usage?.inputTokens === undefined ? {} : { "gen_ai.usage.input_tokens": usage.inputTokens }),
    ...(usage?.outputTokens === undefined ? {} : { "gen_ai.usage.output_tokens": usage.outputTokens }),
  };
}

function seen(agent: Agent, onEvent: (event: AgentEvent) => void): Agent {
  return {
    name: agent.name,
    ...(agent.capabilities === undefined
      ? {}
      : { capabilities: (options) => agent.capabilities?.(options) ?? Promise.resolve({}) }),
    execute: (request, options) =>
      agent.execute(request, {
        ...options,
        onEvent: (event) => {
          onEvent(event);
          return options.onEvent(event);
        },
      }),
  };
}

/** An agent may report any value: an event of an unknown type is ignored here. */
function see(tools: Map<string, OpenSpan>, event: AgentEvent | null | undefined): void {
  if (event?.type !== "tool_call" && event?.type !== "tool_result") return;
  if (typeof event.toolCallId !== "string") return;
  if (event.type === "tool_call" && !tools.has(event.toolCallId)) {
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": event.toolName,
      "gen_ai.tool.call.id": event.toolCallId,
      ...content("gen_ai.tool.call.arguments", event.toolInput),
    };
    tools.set(event.toolCallId, openSpan(`execute_tool ${event.toolName}`, { attributes }));
  }
  if (event.type !== "tool_result") return;
  const tool = tools.get(event.toolCallId);
  tool?.set(content("gen_ai.tool.call.result", event.content));
  tool?.end(event.status === "error" ? { code: "tool_error" } : undefined);
  tools.delete(event.toolCallId);
}

function content(name: string, value: unknown): Attributes {
  if (!capturesMessageContent()) return {};
  try {
    return { [name]: typeof value === "string" ? value : JSON.stringify(value) };
  } catch {
    return { [name]: "not JSON" };
  }
}
