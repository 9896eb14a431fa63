/**
 * An extension of pi that asks before a tool runs. pi itself never asks, but an extension can delay a call until the
 * program that drives pi has answered. Pure. Observed in 0.73.1, 0.87.1 and 1.5.2.
 */

import {
  ContinuoError,
  type PermissionDecision,
  type PermissionOption,
  type PermissionRequest,
  present,
} from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import { optionFor } from "../link/index.ts";
import type { Dialog } from "./dialog.ts";
import { READING_TOOLS } from "./policy.ts";

/** A command that the extension registers. If pi lists it, pi has loaded the extension. */
export const GATE_COMMAND = "continuo-asks-before-tools";
const QUESTION = "continuo:tool_call";
const GRANTED = "granted";

/**
 * The source of the extension. Each call waits for an answer, except calls of tools that only read. Without an answer,
 * the call is blocked. If a tool calls another tool, that call has a question of its own.
 */
export const GATE_EXTENSION: string = `// Continuo writes this file, and gives it to pi under the policy "ask".
const READING = ${JSON.stringify(READING_TOOLS)};
export default function (pi) {
  pi.registerCommand(${JSON.stringify(GATE_COMMAND)}, { description: "Continuo asks before tools run", handler: async () => {} });
  pi.on("tool_call", async ({ toolCallId, toolName, input }, { ui }) => {
    if (READING.includes(toolName)) return undefined;
    const call = JSON.stringify({ toolCallId, toolName, toolInput: input });
    const answer = await ui.input(${JSON.stringify(QUESTION)}, call);
    if (answer === ${JSON.stringify(GRANTED)}) return undefined;
    return { block: true, reason: answer || "The person said no." };
  });
}
`;

/** Errors: `unsupported` if pi has not loaded the extension. */
export function assertGated(commands: unknown): void {
  if (Array.isArray(commands) && commands.some(isGateCommand)) return;
  throw new ContinuoError(
    "unsupported",
    "pi cannot be held to the policy ask: it did not load the extension that asks before a tool runs",
    { hint: "Use the policy safe, or update pi." },
  );
}

export function isGateCommand(command: unknown): boolean {
  return isJson(command) && command.name === GATE_COMMAND;
}

const ONCE: PermissionOption = { id: "yes", name: "Yes", kind: "allow_once" };
const NO: PermissionOption = { id: "no", name: "No", kind: "reject_once" };

/** The question of the extension; `null` for a dialog of another extension. */
export function toGateDialog(record: Json): Dialog | null {
  if (record.method !== "input" || record.title !== QUESTION) return null;
  const call = callIn(textField(record, "placeholder") ?? "");
  const toolName = textField(call, "toolName") ?? "a tool";
  const request: PermissionRequest = {
    approvalId: String(record.id),
    ...present({ toolCallId: textField(call, "toolCallId") ?? undefined }),
    toolName,
    title: toolName,
    toolInput: call.toolInput,
    readOnly: WRITING_TOOLS.includes(toolName) ? false : null,
    readsReason: true,
    options: [ONCE, alwaysFor(toolName), NO],
  };
  return {
    request,
    answer(decision) {
      if (decision.outcome === "cancelled") return { cancelled: true };
      return { value: decision.outcome === "granted" ? GRANTED : reasonOf(decision) };
    },
  };
}

/** Returns true if the answer holds for later calls of the tool, too. */
export function isLasting(request: PermissionRequest, decision: PermissionDecision): boolean {
  return decision.outcome === "granted" && optionFor(decision, request.options)?.kind === "allow_always";
}

const WRITING_TOOLS: readonly string[] = ["edit", "write"];

function alwaysFor(toolName: string): PermissionOption {
  return { id: "always", name: `every call of ${toolName} in this conversation`, kind: "allow_always" };
}

/** The reason for a refusal, which must not be the word that grants. */
function reasonOf({ reason = "" }: PermissionDecision): string {
  return reason === "" || reason === GRANTED ? "The person said no." : reason;
}

function callIn(text: string): Json {
  try {
    const call: unknown = JSON.parse(text);
    if (isJson(call)) return call;
  } catch {
    // The question is still asked, without the details of the call.
  }
  return {};
}
