/** Native references, as they are kept in `session.metadata`: the native session that each agent has for a session. */

import type { NativeRef, Session, VerifiedBy } from "@continuo/core/model";

/**
 * - `live`: the native session contains what was said up to `baseSequence`, and this agent's own turns
 * - `unsure`: a turn in it was cut off, and nobody knows what it received
 */
export type ReferenceState = "live" | "unsure";

/** `session.metadata.providerSessions[agent]` */
export interface Reference {
  readonly sessionId: string;
  readonly model: string | null;
  readonly location: string | null;
  readonly cwd: string | null;
  /** The native session contains everything up to this sequence of the session's log. */
  readonly baseSequence: number;
  /** The time at which the agent confirmed it; `null` if it did not. */
  readonly verifiedAt: string | null;
  readonly state: ReferenceState;
}

type References = Readonly<Record<string, Reference>>;

/** `null` if there is none, or the stored value is not a reference. */
export function referenceOf(session: Session, agent: string): Reference | null {
  const kept = referencesOf(session)[agent] as Partial<Reference> | undefined;
  if (typeof kept !== "object" || kept === null || typeof kept.sessionId !== "string") return null;
  const { sessionId, baseSequence, model, location, cwd, verifiedAt } = kept;
  return {
    sessionId,
    model: model ?? null,
    location: location ?? null,
    cwd: cwd ?? null,
    baseSequence: typeof baseSequence === "number" ? baseSequence : 0,
    verifiedAt: verifiedAt ?? null,
    state: kept.state === "unsure" ? "unsure" : "live",
  };
}

export function toNativeRef(agent: string, { sessionId, location, cwd }: Reference): NativeRef {
  return { agent, sessionId, location, cwd };
}

export interface NewReference {
  readonly ref: NativeRef;
  readonly model: string | null;
  readonly baseSequence: number;
  readonly verifiedBy: VerifiedBy;
  readonly state: ReferenceState;
  readonly now: string;
}

export function toReference({ ref, model, baseSequence, verifiedBy, state, now }: NewReference): Reference {
  const { sessionId, location, cwd } = ref;
  const verifiedAt = verifiedBy === "none" ? null : now;
  return { sessionId, model, location, cwd, baseSequence, verifiedAt, state };
}

/** Returns the patch of the session's metadata that stores the reference as the agent's own. */
export function referencePatch(
  session: Session,
  agent: string,
  reference: Reference,
): Readonly<Record<string, unknown>> {
  return {
    providerSessionId: reference.sessionId,
    providerSessions: { ...referencesOf(session), [agent]: reference },
  };
}

/**
 * Returns the patch of the session's metadata that marks the reference as `unsure`; `null` if the agent's reference is
 * not to that native session.
 */
export function unsurePatch(
  session: Session,
  agent: string,
  nativeSessionId: string,
): Readonly<Record<string, unknown>> | null {
  const reference = referenceOf(session, agent);
  if (reference === null || reference.sessionId !== nativeSessionId) return null;
  return { providerSessions: { ...referencesOf(session), [agent]: { ...reference, state: "unsure" } } };
}

function referencesOf({ metadata }: Session): References {
  const { providerSessions } = metadata;
  const isRecord = typeof providerSessions === "object" && providerSessions !== null;
  return isRecord ? (providerSessions as References) : {};
}

/** The metadata of a run that names the native session that it used. */
export interface UsedNative {
  readonly agent: string;
  readonly sessionId: string;
}

/**
 * A native session that began in a run. It is stored with the run until the end of the run makes it the reference of
 * the session.
 */
export interface PendingNativeRef extends NativeRef {
  readonly baseSequence: number;
}

/**
 * Returns the reference to the native session of an interrupted run; `null` if it is not known. A stored reference is
 * returned as it is. A new one is `unsure`, because nobody knows what the native session received.
 */
export function interruptedReference(
  session: Session,
  agent: string,
  metadata: Readonly<Record<string, unknown>>,
): Reference | null {
  const used = usedNative(metadata);
  if (used === null || used.agent !== agent) return null;
  const kept = referenceOf(session, agent);
  if (kept?.sessionId === used.sessionId) return kept;
  const { baseSequence, location = null, cwd = null } = metadata.native as Partial<PendingNativeRef>;
  if (typeof baseSequence !== "number") return null;
  const ref = { agent, sessionId: used.sessionId, location, cwd };
  return toReference({ ref, model: null, baseSequence, verifiedBy: "none", state: "unsure", now: "" });
}

export function usedNative(metadata: Readonly<Record<string, unknown>>): UsedNative | null {
  const { native } = metadata as { readonly native?: Partial<UsedNative> };
  if (typeof native?.agent !== "string" || typeof native.sessionId !== "string") return null;
  return { agent: native.agent, sessionId: native.sessionId };
}
