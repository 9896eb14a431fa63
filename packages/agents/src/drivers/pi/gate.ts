/**
 * The extension that asks for pi. pi itself asks nobody before it uses a tool; an extension can hold a call back until
 * the program that drives pi has answered. Pure. Seen in 0.73.1, 0.87.1 and 1.5.2.
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

/** A command that the extension registers: pi lists it only if it loaded the extension. */
export const GATE_COMMAND = "continuo-asks-before-tools";
const QUESTION = "continuo:tool_call";
const GRANTED = "granted";

/**
 * Every call that is not only a reading one waits for an answer; no answer is no. A call that another tool makes is
 * asked for by itself.
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

/** Errors: `unsupported` where the extension is not among pi's commands. */
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

/** `null` for a dialog of another extension. */
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

/** Never the word that grants. */
function reasonOf({ reason = "" }: PermissionDecision): string {
  return reason === "" || reason === GRANTED ? "The person said no." : reason;
}

function callIn(text: string): Json {
  try {
    const call: unknown = JSON.parse(text);
    if (isJson(call)) return call;
  } catch {
    // The question is put all the same, without what the call is.
  }
  return {};
}
