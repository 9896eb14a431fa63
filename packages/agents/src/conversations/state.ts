/**
 * A conversation as a value: which agent answers, in which session, and how. `step` returns the state after a change,
 * and the tasks for the agent's program. Pure: a server can keep the value, and tests need no agent.
 */

import type { Session } from "@continuo/core/model";
import type { AgentSettings, Configuration } from "../config/index.ts";
import type { TalkFlags } from "./flags.ts";
import { nativeIdOf } from "./native-id.ts";
import { settingsOf } from "./settings.ts";

export type Policy = AgentSettings["permissions"]["policy"];

export interface TalkState {
  readonly settings: AgentSettings;
  /** `null` before the first turn of a new conversation. */
  readonly session: Session | null;
  /** True if the session was just imported from a native session, and no turn was taken in it yet. */
  readonly isFresh: boolean;
  /** The mode that was requested, by the agent's own name for it. */
  readonly mode: string | null;
  /** The effort of the agent's model, by the agent's name for it; `null`: the agent decides. */
  readonly effort: string | null;
  /**
   * The model that was requested in this conversation, as its agent names it; `null`: a flag or the configuration
   * decides.
   */
  readonly model: string | null;
  /** The person's choice in this conversation; `null`: a flag or the configuration decides. */
  readonly policy: Policy | null;
}

/** Settings that do not change while a conversation is open. */
export interface TalkSetting {
  readonly configuration: Configuration;
  readonly flags: TalkFlags;
  readonly cwd: string;
}

/** The place of an agent's program, or of its start: a native session, or `null` for a new one. */
export interface ProgramPlace {
  readonly nativeId: string | null;
  readonly cwd: string;
}

export type TalkChange =
  /** The agent is the session's own, unless it is named here or by a flag. `open`: where the agent's program is now. */
  | {
      readonly type: "enter";
      readonly session: Session;
      readonly isFresh: boolean;
      readonly agent?: string;
      readonly open: ProgramPlace | null;
    }
  /** The same session, with another agent. `keep`: that agent's program is already open at the right place. */
  | { readonly type: "agent"; readonly name: string; readonly keep?: true }
  /**
   * The policy applies to every agent of this conversation: a person who chose `safe` does not want less safety with
   * the next agent.
   */
  | { readonly type: "permissions"; readonly policy: Policy }
  | { readonly type: "mode"; readonly mode: string | null }
  | { readonly type: "effort"; readonly effort: string | null }
  | { readonly type: "model"; readonly model: string | null }
  /** A turn begins, so the session is no longer fresh. */
  | { readonly type: "turn"; readonly session: Session }
  /** The session as the store has it now; `null` when it was deleted. */
  | { readonly type: "stored"; readonly session: Session | null };

export type TalkEffect =
  | { readonly type: "end program" }
  /** Starts the program early, so that the first turn need not wait. That turn reports an error of the start. */
  | { readonly type: "start program" }
  /** Waits until the program has started, and reports an error immediately. */
  | { readonly type: "check program" }
  /** Ends the runs that a crash left in the session. */
  | { readonly type: "wake" };

export interface TalkStep {
  readonly state: TalkState;
  readonly effects: readonly TalkEffect[];
}

/** Errors: `not_found` for an unknown agent. */
export function beginState(name: string, { configuration, flags }: TalkSetting): TalkState {
  const settings = settingsOf(configuration, name, flags);
  return { settings, session: null, isFresh: false, mode: null, effort: null, model: null, policy: null };
}

/** Errors: `not_found` for an unknown agent. */
export function step(state: TalkState, change: TalkChange, setting: TalkSetting): TalkStep {
  switch (change.type) {
    case "enter":
      return enter(state, change, setting);
    case "agent":
      return {
        state: withAgent(state, change.name, setting),
        effects: change.keep === true ? [] : [{ type: "end program" }],
      };
    case "permissions": {
      const isSame = change.policy === state.settings.permissions.policy;
      return {
        state: withAgent({ ...state, policy: change.policy }, state.settings.name, setting),
        // Not every agent asks before it acts: its program starts again with another policy.
        effects: isSame ? [] : [{ type: "end program" }],
      };
    }
    case "mode":
      return {
        state: { ...state, mode: change.mode },
        effects: [{ type: "end program" }, { type: "check program" }],
      };
    case "effort":
      return {
        state: { ...state, effort: change.effort },
        effects: [{ type: "end program" }, { type: "check program" }],
      };
    case "model":
      return {
        state: withAgent({ ...state, model: change.model }, state.settings.name, setting),
        effects: [{ type: "end program" }, { type: "check program" }],
      };
    case "turn":
      return { state: { ...state, session: change.session, isFresh: false }, effects: [] };
    case "stored":
      return { state: { ...state, session: change.session }, effects: [] };
  }
}

function enter(
  state: TalkState,
  { session, isFresh, open, agent }: Extract<TalkChange, { type: "enter" }>,
  setting: TalkSetting,
): TalkStep {
  const name = agent ?? setting.flags.agent ?? session.agent ?? state.settings.name;
  const entered = { ...withAgent(state, name, setting), session, isFresh };
  const native = nativeIdOf(session, name);
  const cwd = session.cwd ?? setting.cwd;
  const isOpen =
    name === state.settings.name && native !== null && open?.nativeId === native && open.cwd === cwd;
  return {
    state: entered,
    effects: isOpen
      ? [{ type: "wake" }]
      : // Only the awake session knows which native session continues after a crash.
        [{ type: "end program" }, { type: "wake" }, { type: "start program" }],
  };
}

/** A mode, an effort and a model are names that only one agent knows, so another agent does not get them. */
function withAgent(state: TalkState, name: string, { configuration, flags }: TalkSetting): TalkState {
  const settings = settingsOf(configuration, name, flags);
  const { policy } = state;
  const own = { mode: null, effort: null, model: null };
  const { mode, effort, model } = name === state.settings.name ? state : own;
  const permissions = policy === null ? settings.permissions : { ...settings.permissions, policy };
  const chosen = { ...settings, permissions, model: model ?? settings.model };
  return { ...state, settings: chosen, mode, effort, model };
}

/** Returns the place of the next turn; `null` if another session, or a replay, begins once the input is known. */
export function nextPlace({ session, settings }: TalkState, { cwd }: TalkSetting): ProgramPlace | null {
  if (session === null) return { nativeId: null, cwd };
  const nativeId = nativeIdOf(session, settings.name);
  return nativeId === null ? null : { nativeId, cwd: session.cwd ?? cwd };
}

/** Returns the place of earlier messages. `elsewhere`: in an agent's session, on which no turn was taken here yet. */
export function saidBefore({ session, isFresh }: TalkState): "nothing" | "elsewhere" | "here" {
  if (session === null) return "nothing";
  return isFresh ? "elsewhere" : "here";
}
