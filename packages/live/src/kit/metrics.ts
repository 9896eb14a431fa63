/**
 * Records the metrics of continuous sessions through the OpenTelemetry API. If no provider is registered, nothing is
 * recorded, and the cost is almost zero.
 */

import { createMeter, type Meter, type Metric, type Observation, observed } from "@continuo/files";
import type { Level } from "./types.ts";

type CounterName =
  | "continuo.live.messages"
  | "continuo.live.dropped"
  | "continuo.live.notes"
  | "continuo.live.escalations"
  | "continuo.live.citations"
  | "continuo.live.transitions"
  | "continuo.live.alerts";
type TimeName = "continuo.live.checkpoint.duration" | "continuo.live.restore.duration";
type HistogramName =
  | TimeName
  | "continuo.live.depth"
  | "continuo.live.batch.size"
  | "continuo.live.replay.agreement"
  | "continuo.live.segments"
  | "gen_ai.client.operation.duration"
  | "gen_ai.client.token.usage";
type GaugeName = "continuo.live.sessions" | "continuo.live.levels";

export const METRICS: Readonly<Record<CounterName | HistogramName | GaugeName, Metric>> = {
  "continuo.live.messages": {
    kind: "counter",
    unit: "{message}",
    says: "Input that was stored, by `type`.",
  },
  "continuo.live.depth": {
    kind: "histogram",
    unit: "{message}",
    says: "Input of a session that is stored and not processed yet, measured whenever input is stored.",
  },
  "continuo.live.batch.size": {
    kind: "histogram",
    unit: "{message}",
    says: "Events that a note writer was given at once, by `lane`.",
  },
  "continuo.live.dropped": {
    kind: "counter",
    unit: "{message}",
    says: "Input that the model was not given, and telemetry that was not stored, by `type`.",
  },
  "continuo.live.notes": {
    kind: "counter",
    unit: "{draft}",
    says: "What became of drafts, by `action`: `write`, `update`, `merge`, `ask`, `keep`.",
  },
  "continuo.live.citations": {
    kind: "counter",
    unit: "{note}",
    says: "Notes that the agent wrote or changed, by `earlier`: whether they cite evidence of an earlier batch.",
  },
  "continuo.live.segments": {
    kind: "histogram",
    unit: "{segment}",
    says: "Segments, which are the batches, of a session that ended, by the `state` in which it ended.",
  },
  "continuo.live.replay.agreement": {
    kind: "histogram",
    unit: "1",
    says: "The share of compared events on which the nightly replay agrees, 0 to 1; the target is 0.95.",
  },
  "continuo.live.escalations": {
    kind: "counter",
    unit: "{question}",
    says: "Questions to people about drafts of which the note writer is not sure.",
  },
  "continuo.live.checkpoint.duration": {
    kind: "histogram",
    unit: "s",
    says: "How long a checkpoint took, by `outcome`.",
  },
  "continuo.live.restore.duration": {
    kind: "histogram",
    unit: "s",
    says: "How long it took to restore a session, by `outcome`.",
  },
  "continuo.live.transitions": {
    kind: "counter",
    unit: "{transition}",
    says: "Changes of state, with `from` and `to`.",
  },
  "continuo.live.alerts": {
    kind: "counter",
    unit: "{alert}",
    says: "What somebody should look at, by `reason`: `degraded_abandoned` (nobody repaired the session), `damaged` (of a session that ended), `replay_disagrees`, `checkpoint_failures` (three in a row).",
  },
  "continuo.live.sessions": {
    kind: "gauge",
    unit: "{session}",
    says: "Sessions that this server owns, by `state`.",
  },
  "continuo.live.levels": {
    kind: "gauge",
    unit: "{session}",
    says: "Sessions that this server owns, by `level` of back-pressure: `normal`, `warning`, `critical`.",
  },
  "gen_ai.client.operation.duration": {
    kind: "histogram",
    unit: "s",
    says: "How long a call of a note writer took.",
  },
  "gen_ai.client.token.usage": {
    kind: "histogram",
    unit: "{token}",
    says: "Tokens of a call of a note writer, by `gen_ai.token.type`.",
  },
};

const meter: Meter<CounterName, HistogramName, GaugeName> = createMeter("continuo.live", METRICS);
export const count: typeof meter.count = meter.count;
export const record: typeof meter.record = meter.record;

/** The number of sessions that this process owns, by state. */
export function sessionsByState(): ReadonlyMap<string, number> {
  const states = observed().get("continuo.live.sessions") ?? [];
  return new Map(states.map(({ value, attributes }) => [String(attributes.state), value]));
}

/** Records seconds with `outcome`. A failure adds no attribute, because errors can contain private text. */
export async function recordTime<Result>(name: TimeName, work: () => Promise<Result>): Promise<Result> {
  const beganMs = performance.now();
  let outcome = "failed";
  try {
    const result = await work();
    outcome = "done";
    return result;
  } finally {
    record(name, (performance.now() - beganMs) / 1_000, { outcome });
  }
}

/** Counts stored input, and records the depth after it. */
export function countInput(types: readonly string[], depth: number): void {
  for (const type of types) count("continuo.live.messages", 1, { type });
  if (types.length > 0) record("continuo.live.depth", depth);
}

export function countDropped(types: Readonly<Record<string, number>>): void {
  for (const [type, number] of Object.entries(types)) count("continuo.live.dropped", number, { type });
}

/** Counts the notes of one batch that cite evidence from outside of the batch, and those that do not. */
export function countCitations(
  events: readonly { readonly type: string; readonly data?: unknown }[],
  batchIds: ReadonlySet<string>,
): void {
  for (const { type, data } of events) {
    if (type !== "note_written" && type !== "note_updated" && type !== "note_merged") continue;
    const { evidence = [] } = data as { readonly evidence?: readonly string[] };
    const earlier = evidence.some((id) => !batchIds.has(id)) ? "yes" : "no";
    count("continuo.live.citations", 1, { earlier });
  }
}

/** Counts the decisions among stored events. */
export function countDecisions(events: readonly { readonly type: string; readonly data?: unknown }[]): void {
  for (const { type, data } of events) {
    if (type !== "decision_made") continue;
    const { decisions = [] } = data as { readonly decisions?: readonly { readonly action: string }[] };
    for (const { action } of decisions) {
      count("continuo.live.notes", 1, { action });
      if (action === "ask") count("continuo.live.escalations");
    }
  }
}

export interface ObservedSession {
  readonly state: string;
  readonly level: Level;
}

/** Counts the sessions by state and by level whenever the gauges are read, until the returned function is called. */
export function observeSessions(source: () => readonly ObservedSession[]): () => void {
  const leaves = [
    meter.observe("continuo.live.sessions", () => countedBy("state", source(), {})),
    // A level that no session has is reported as 0, because an alert needs a number for every level.
    meter.observe("continuo.live.levels", () => countedBy("level", source(), NO_LEVELS)),
  ];
  return () => {
    for (const leave of leaves) leave();
  };
}

const NO_LEVELS: Readonly<Record<Level, number>> = { normal: 0, warning: 0, critical: 0 };

function countedBy(
  attribute: keyof ObservedSession,
  sessions: readonly ObservedSession[],
  begin: Readonly<Record<string, number>>,
): readonly Observation[] {
  const counts: Record<string, number> = { ...begin };
  for (const one of sessions) counts[one[attribute]] = (counts[one[attribute]] ?? 0) + 1;
  return Object.entries(counts).map(([name, value]) => ({ value, attributes: { [attribute]: name } }));
}
