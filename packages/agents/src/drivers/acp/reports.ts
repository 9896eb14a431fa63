/**
 * Converts reports of an agent about itself to text: notices, compactions, and the sessions of its sub-agents. Pure.
 */

import type { AgentEvent } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";

/** `details` has the report as the agent sent it. */
export function reportOf(update: Json): Extract<AgentEvent, { type: "diagnostics" | "error" }> {
  switch (update.sessionUpdate) {
    case "notice":
      return noticeOf(update);
    case "compaction_update":
      return { type: "diagnostics", message: compactionOf(update), details: update };
    default:
      return { type: "diagnostics", message: subagentOf(update), details: update };
  }
}

function noticeOf(update: Json): Extract<AgentEvent, { type: "diagnostics" | "error" }> {
  const words = [update.title, update.description].filter((text) => typeof text === "string" && text !== "");
  const message = words.join(": ");
  return { type: update.severity === "error" ? "error" : "diagnostics", message, details: update };
}

function compactionOf({ status, error }: Json): string {
  switch (status) {
    case "completed":
      return "The agent summed up the conversation.";
    case "failed":
      return `The agent could not sum up the conversation${typeof error === "string" ? `: ${error}` : "."}`;
    case "cancelled":
      return "The agent did not finish summing up the conversation.";
    default:
      return "The agent sums up the conversation.";
  }
}

const STATES: Readonly<Record<string, string>> = {
  running: "runs",
  idle: "has ended its turn",
  requires_action: "waits for an answer",
};

/** An update names only what changed. */
function subagentOf({ sessionId, title, state }: Json): string {
  const name = typeof title === "string" && title !== "" ? title : String(sessionId);
  const now = isJson(state) ? STATES[String(state.state)] : undefined;
  return `Sub-agent ${JSON.stringify(name)}${now === undefined ? "" : ` ${now}`}.`;
}
