/**
 * Names that `continuo` had before, for programs that use them. Each points to the name to use now.
 *
 * Promises: a name is removed no earlier than one minor version after it was put here.
 * Does not know: new names, nor those of entries such as `continuo/agents`.
 */

import {
  type AgentSessionList,
  findNativeSessions,
  listAgentSessions,
  type NativeList,
  readNativeList,
  type SessionsOfAgent,
  sessionsOfAgent,
} from "@continuo/agents";
import type { DriverSession } from "@continuo/core/model";
import type { MaskedValue, OmittedMessages, SecretCounts } from "@continuo/core/transcript";

/** @deprecated since 0.3: {@link readNativeList}, because a store has a `listSessions` too. */
export const listSessions: typeof readNativeList = readNativeList;
/** @deprecated since 0.3: {@link NativeList}. */
export type SessionList = NativeList;

/** @deprecated since 0.3: {@link findNativeSessions}. */
export const findSessions: typeof findNativeSessions = findNativeSessions;

/** @deprecated since 0.3: {@link listAgentSessions}. */
export const listAllSessions: typeof listAgentSessions = listAgentSessions;
/** @deprecated since 0.3: {@link AgentSessionList}. */
export type AllSessions = AgentSessionList;

/** @deprecated since 0.3: {@link sessionsOfAgent}. */
export const sessions: typeof sessionsOfAgent = sessionsOfAgent;
/** @deprecated since 0.3: {@link SessionsOfAgent}. */
export type AgentSessions = SessionsOfAgent;
/** @deprecated since 0.3: {@link DriverSession}. */
export type AgentSession = DriverSession;

/** @deprecated since 0.3: {@link MaskedValue}. */
export type Masked<T> = MaskedValue<T>;
/** @deprecated since 0.3: {@link OmittedMessages}. */
export type Omitted = OmittedMessages;
/** @deprecated since 0.3: {@link SecretCounts}. */
export type SecretsFound = SecretCounts;
