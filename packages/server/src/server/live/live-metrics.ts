/**
 * Adds each measure of success of continuous sessions, with its target, to the series of `/metrics`.
 */

import { type Measurement, onMeasurement } from "@continuo/live";
import type { GaugeSeries, Metrics } from "../context/index.ts";

/** The target share for each measure of success. Shares are counted from the start of the server. */
const TARGETS = {
  /** The share of checkpoints that were written. */
  checkpoints: 0.99,
  /** The share of sessions that ended as `closed` and not as `abandoned`. */
  closed: 0.99,
  /** The share of processed evidence that a note writer received. */
  coverage: 1,
  /** The mean agreement of nightly replays. */
  replay: 0.95,
  /** The share of sessions of ten or more segments that ended as `closed`. */
  segments: 0.95,
  /** The share of notes that cite evidence of an earlier segment. */
  citations: 0.2,
} as const;

/** A session with at least this number of segments is long. */
const LONG_SEGMENTS = 10;

type Success = keyof typeof TARGETS;

interface Share {
  good: number;
  all: number;
}

/** Measures until the returned function is called. */
export function measureLive(metrics: Metrics): () => void {
  const shares = new Map<Success, Share>();
  const add = (success: Success, good: number, all: number): void => {
    const share = shares.get(success) ?? { good: 0, all: 0 };
    shares.set(success, { good: share.good + good, all: share.all + all });
  };
  metrics.gauge("live_success_ratio", () =>
    [...shares].map(([measure, { good, all }]): GaugeSeries => ({ labels: { measure }, value: good / all })),
  );
  metrics.gauge("live_success_target", () =>
    Object.entries(TARGETS).map(([measure, value]) => ({ labels: { measure }, value })),
  );
  return onMeasurement((measurement) => countSuccess(measurement, add));
}

function countSuccess(
  { name, value, attributes }: Measurement,
  add: (success: Success, good: number, all: number) => void,
): void {
  switch (name) {
    case "continuo.live.checkpoint.duration":
      add("checkpoints", attributes.outcome === "done" ? 1 : 0, 1);
      break;
    case "continuo.live.transitions":
      if (attributes.to === "closed") add("closed", 1, 1);
      else if (attributes.to === "abandoned") add("closed", 0, 1);
      break;
    case "continuo.live.batch.size":
      add("coverage", value, value);
      break;
    case "continuo.live.dropped":
      add("coverage", 0, value);
      break;
    case "continuo.live.replay.agreement":
      add("replay", value, 1);
      break;
    case "continuo.live.segments":
      if (value >= LONG_SEGMENTS) add("segments", attributes.state === "closed" ? 1 : 0, 1);
      break;
    case "continuo.live.citations":
      add("citations", attributes.earlier === "yes" ? value : 0, value);
      break;
  }
}
