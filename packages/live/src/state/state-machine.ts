/** The states of a session, and the state that follows after each trigger. Pure. */

import type { LiveState, ReportedState } from "../kit/index.ts";

/**
 * `silence`: no input for 30 s. `fault`: a restore failed, a hash differs, or the log has a gap. `expiry`: no input for
 * an hour. `repair`: the log was verified again.
 */
export type Trigger = "input" | "silence" | "close" | "fault" | "expiry" | "repair";

export const TRIGGERS: readonly Trigger[] = ["input", "silence", "close", "fault", "expiry", "repair"];

interface Row {
  readonly from: readonly LiveState[];
  readonly on: Trigger;
  readonly to: LiveState;
}

const TRANSITIONS: readonly Row[] = [
  { from: ["created"], on: "input", to: "active" },
  { from: ["active"], on: "silence", to: "idle" },
  { from: ["idle"], on: "input", to: "active" },
  { from: ["created", "active", "idle", "degraded"], on: "close", to: "closed" },
  { from: ["created", "active", "idle"], on: "fault", to: "degraded" },
  { from: ["created", "active", "idle"], on: "expiry", to: "abandoned" },
  { from: ["degraded"], on: "repair", to: "active" },
  { from: ["degraded"], on: "expiry", to: "abandoned" },
];

/** `null` when the trigger changes nothing in this state. */
export function nextState(from: LiveState, on: Trigger): LiveState | null {
  return TRANSITIONS.find((row) => row.on === on && row.from.includes(from))?.to ?? null;
}

/** True if the state is the last one of a session. */
export function isFinal(state: LiveState): boolean {
  return state === "closed" || state === "abandoned";
}

export function acceptsInput(state: LiveState): boolean {
  return state === "created" || state === "active" || state === "idle";
}

/** True if the table allows this step between two states. */
export function isTransition(from: LiveState, to: LiveState): boolean {
  return TRANSITIONS.some((row) => row.to === to && row.from.includes(from));
}

export function reportedState(
  state: LiveState,
  { lastInput, checkpoint }: { readonly lastInput: number; readonly checkpoint: number | null },
): ReportedState {
  return acceptsInput(state) && checkpoint !== null && lastInput <= checkpoint ? "checkpointed" : state;
}
