/**
 * The states of sessions that ordinary work leaves, with a recorded session of each agent in this state. A text in
 * brackets is the reason why there is none: the agent has no such state, or it is not recorded yet.
 */

import type { AgentName } from "@continuo/core/model";
import { STATE_NAMES, tested } from "../tested-agents.ts";

export type RecordedState = Readonly<Record<AgentName, string>>;

export const RECORDED_STATES: Readonly<Record<string, RecordedState>> = Object.fromEntries(
  STATE_NAMES.map((state) => [state, tested(({ states }) => states[state])]),
);
