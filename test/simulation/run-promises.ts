/** Invariants of the store after a simulation, whatever happened in it. */

import type { Run, Store, StoredEvent } from "@continuo/core/model";

/** The reports that the processes received. */
export interface RunReports {
  /** The end of each run as its caller received it; `started` if only its beginning was confirmed. */
  readonly runs: Map<string, string>;
  /** The words of an agent in each run. */
  readonly said: Map<string, readonly string[]>;
  readonly seen: { readonly sessionId: string; readonly sequences: number[] }[];
  readonly faults: string[];
}

const ENDS = new Set(["run_completed", "run_failed", "run_cancelled", "run_interrupted", "run_timeout"]);

export async function faultsIn(
  store: Store,
  sessionIds: readonly string[],
  promised: RunReports,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const sessionId of sessionIds) {
    if (!(await store.verify(sessionId)).ok) faults.push(`${sessionId}: the log does not verify`);
    const { events } = await store.read(sessionId);
    const { items } = await store.listRuns({ sessionId, limit: 1_000 });
    faults.push(
      ...ofRuns(events, items),
      ...ofTurns(events),
      ...ofInputs(items),
      ...ofWords(events, items, promised),
    );
    const [received, processed] = await Promise.all(
      ["received", "processed"].map((name) => store.getCursor({ logId: sessionId, name })),
    );
    if ((processed?.sequence ?? 0) > (received?.sequence ?? 0)) faults.push("processed is after received");
  }
  for (const [runId, status] of promised.runs) {
    const run = await store.getRun(runId);
    if (run === null) faults.push(`${runId} was acknowledged, and is not there`);
    else if (status !== "started" && status !== run.status)
      faults.push(`${runId} was ${status}, and is ${run.status}`);
  }
  for (const { sessionId, sequences } of promised.seen) {
    if (sequences.some((sequence, index) => sequence !== index + 1))
      faults.push(`a reader of ${sessionId} missed one`);
  }
  return faults;
}

/**
 * Returns the faults: each run must begin once and end once, as its row says, and no event of it may be stored outside
 * of this span.
 */
function ofRuns(events: readonly StoredEvent[], runs: readonly Run[]): readonly string[] {
  return runs.flatMap((run) => {
    const { runId, status } = run;
    const own = events.filter((event) => event.runId === runId && event.type !== "run_cancel_requested");
    const types = own.map(({ type }) => type);
    const count = (is: (type: string) => boolean): number => types.filter(is).length;
    const faults: string[] = [];
    if (types[0] !== "run_created" || count((type) => type === "run_created") !== 1)
      faults.push("is not created once");
    if (count((type) => type === "run_started") > 1) faults.push("began twice");
    if (count((type) => ENDS.has(type)) !== 1) faults.push(`has ${count((type) => ENDS.has(type))} ends`);
    if (types.at(-1) !== `run_${status}`) faults.push(`is ${status}, and its log ends with ${types.at(-1)}`);
    return faults.map((fault) => `${runId} ${fault}`);
  });
}

/** Returns the faults: only one run of a session may run at a time. */
function ofTurns(events: readonly StoredEvent[]): readonly string[] {
  let running: string | undefined;
  const faults: string[] = [];
  for (const { type, runId } of events) {
    if (type === "run_started") {
      if (running !== undefined) faults.push(`${runId} began while ${running} ran`);
      running = runId;
    } else if (ENDS.has(type) && runId === running) running = undefined;
  }
  return faults;
}

/** Returns the faults: no input may be answered twice, and in the end none may be left. */
function ofInputs(runs: readonly Run[]): readonly string[] {
  const attempts = Map.groupBy(runs, ({ runId, metadata }) => String(metadata.retryOf ?? runId));
  return [...attempts].flatMap(([root, all]) => {
    const completed = all.filter(({ status }) => status === "completed").length;
    const faults = completed > 1 ? [`the input of ${root} was answered ${completed} times`] : [];
    const isLeft = all.every(({ status }) => status === "interrupted");
    return isLeft ? [...faults, `the input of ${root} was offered to nobody`] : faults;
  });
}

/**
 * Returns the faults: a run must have the words of its agent in order, each once, and a completed run must have all of
 * them.
 */
function ofWords(
  events: readonly StoredEvent[],
  runs: readonly Run[],
  { said }: RunReports,
): readonly string[] {
  return runs.flatMap(({ runId, status }) => {
    const words = said.get(runId);
    if (words === undefined) return [];
    const stored = events
      .filter((event) => event.runId === runId && event.type === "message_received")
      .map(({ data }) => JSON.stringify(data).match(/[^"]* says \d/u)?.[0]);
    const wanted = status === "completed" ? words : words.slice(0, stored.length);
    return JSON.stringify(stored) === JSON.stringify(wanted) ? [] : [`${runId} has ${stored}, not ${words}`];
  });
}
