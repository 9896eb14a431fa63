/**
 * The states of sessions that ordinary work leaves behind, and the recorded session of each agent that is in the state.
 * A text in brackets stands where an agent has no such state, or where nobody has recorded it yet.
 */

import type { AgentName } from "@continuo/core/model";
import { STATE_NAMES, tested } from "../tested-agents.ts";

export type RecordedState = Readonly<Record<AgentName, string>>;

export const RECORDED_STATES: Readonly<Record<string, RecordedState>> = Object.fromEntries(
  STATE_NAMES.map((state) => [state, tested(({ states }) => states[state])]),
);
