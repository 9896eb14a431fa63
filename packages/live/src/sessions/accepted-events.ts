/** The events that are stored for a batch of evidence. At a high load, the session stores no telemetry. */

import type { NewEvent } from "@continuo/core/model";
import { type Frames, type PictureAccess, toEvent } from "../evidence/index.ts";
import type { EvidenceInput } from "../kit/index.ts";
import { depthOf, type Follower, storesTelemetry } from "../state/index.ts";

export interface AcceptedEvents {
  readonly events: readonly NewEvent[];
  /** The number of pieces of telemetry that are counted and not stored. */
  readonly dropped: number;
}

/** Errors: those of the store. */
export async function acceptedEvents(
  { sessionId, fold }: Pick<Follower, "sessionId" | "fold">,
  evidence: readonly EvidenceInput[],
  {
    frames,
    occurredAt,
    mayUse,
  }: { readonly frames: Frames; readonly occurredAt: string; readonly mayUse: PictureAccess },
): Promise<AcceptedEvents> {
  const isStored = storesTelemetry(depthOf(fold));
  const kept = evidence.filter(({ type }) => isStored || type !== "telemetry_reported");
  const dropped = evidence.length - kept.length;
  const held = await frames.hold(kept, { sessionId, videoId: fold.videoId }, mayUse);
  const events: NewEvent[] = held.map((one) => toEvent(one, occurredAt));
  if (dropped > 0) {
    const data = { count: dropped, kinds: { telemetry_reported: dropped }, reason: "load" };
    events.push({ type: "evidence_dropped", data, occurredAt });
  }
  return { events, dropped };
}
