/** Facts from events about the session, its usage and its turns: fields of the transcript's metadata. */

import { addUsage, present, type ToolDefinition, type Usage } from "../../model/index.ts";
import { anyField, type EventEntry, type Fields, isFields, numberField, textField } from "../events/index.ts";
import { toUsage } from "./content.ts";
import { setState, type TranscriptDraft } from "./draft.ts";
import { runEnded } from "./notes.ts";
import type { UsageSums } from "./state.ts";

const SESSION_KEYS = ["title", "agent", "cwd", "status"] as const;

/** Sets the named fields; `null` removes one, in `metadata` key by key. */
export function sessionChanged(draft: TranscriptDraft, _entry: EventEntry, payload: Fields): void {
  const old = draft.facts.state.session;
  const session: Record<string, unknown> = isFields(old) ? { ...old } : {};
  for (const key of SESSION_KEYS) setOrDelete(session, key, payload[key]);
  if (isFields(payload.metadata)) {
    const metadata = isFields(session.metadata) ? { ...session.metadata } : {};
    for (const [key, value] of Object.entries(payload.metadata)) setOrDelete(metadata, key, value);
    session.metadata = metadata;
  }
  setState(draft, "session", session);
}

function setOrDelete(target: Record<string, unknown>, key: string, value: unknown): void {
  if (value === null) delete target[key];
  // A definition, not an assignment: a key may be called `__proto__`.
  else if (value !== undefined)
    Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
}

/** The newest payload of the type, as it is, under a key of the metadata. */
export function newest(key: string): (draft: TranscriptDraft, entry: EventEntry, payload: Fields) => void {
  return (draft, _entry, payload) => setState(draft, key, payload);
}

export function modeChanged(draft: TranscriptDraft, _entry: EventEntry, payload: Fields): void {
  const [mode, model] = [textField(payload, "mode"), textField(payload, "model")];
  if (mode !== undefined) setState(draft, "mode", mode);
  if (model !== undefined) setState(draft, "model", model);
  const tools = anyField(payload, "tools");
  if (Array.isArray(tools)) setState(draft, "tools", withTools(draft.facts.state.tools, tools));
}

/** Tools that were offered in a session, of which the transcript keeps the newest. */
const MAX_TOOLS = 256;

/** Adds offered tools to those that were offered before, because the messages have calls of both; newest last. */
function withTools(before: unknown, offered: readonly unknown[]): readonly ToolDefinition[] {
  const tools = new Map<string, ToolDefinition>();
  for (const tool of [...(Array.isArray(before) ? before : []), ...offered] as readonly unknown[]) {
    if (!isFields(tool) || typeof tool.name !== "string") continue;
    tools.delete(tool.name);
    const { name, description, inputSchema } = tool;
    const words = typeof description === "string" ? description : undefined;
    const schema = isFields(inputSchema) ? inputSchema : undefined;
    tools.set(name, present({ name, description: words, inputSchema: schema }));
  }
  return [...tools.values()].slice(-MAX_TOOLS);
}

export function turnCompleted(draft: TranscriptDraft, _entry: EventEntry, payload: Fields): void {
  const { turns } = draft.facts.state;
  setState(draft, "turns", typeof turns === "number" ? turns + 1 : 1);
  const stopReason = textField(payload, "stopReason");
  if (stopReason !== undefined) setState(draft, "stopReason", stopReason);
  countUsage(draft, "turns", toUsage(anyField(payload, "usage")));
}

const endWell = runEnded("completed", "interrupted");

export function runCompleted(draft: TranscriptDraft, entry: EventEntry, payload: Fields): void {
  endWell(draft, entry, payload);
  countUsage(draft, "runs", toUsage(anyField(payload, "usage")));
}

function countUsage(
  draft: TranscriptDraft,
  source: "calls" | "turns" | "runs",
  usage: Usage | undefined,
): void {
  if (usage === undefined) return;
  const sums = draft.facts.usage;
  draft.facts.usage = { ...sums, [source]: addUsage(sums[source], usage) };
}

export function usageUpdated(draft: TranscriptDraft, _entry: EventEntry, payload: Fields): void {
  const usage = toUsage(anyField(payload, "usage"));
  const costUsd = numberField(payload, "costUsd");
  countUsage(draft, "calls", usage && costUsd !== undefined ? { costUsd, ...usage } : usage);
  const total = toUsage(anyField(payload, "total"));
  if (total === undefined) return;
  const sums = draft.facts.usage;
  // A sum that shrinks comes from another process, which began to count at 0: the sum before is added.
  const began = sums.total !== undefined && tokensOf(total) < tokensOf(sums.total);
  draft.facts.usage = {
    ...sums,
    ...(began && sums.total !== undefined ? { totalBefore: addUsage(sums.totalBefore, sums.total) } : {}),
    total,
  };
}

function tokensOf(usage: Usage): number {
  return usage.totalTokens ?? usage.inputTokens + usage.outputTokens;
}

/** Returns the sum of the source that is closest to the model. */
export function usageOf(sums: UsageSums): Usage | undefined {
  if (sums.total !== undefined) return addUsage(sums.totalBefore, sums.total);
  return sums.calls ?? sums.messages ?? sums.turns ?? sums.runs;
}
