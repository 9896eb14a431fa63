/** Checks rows that are written together with events (sessions, runs and cursors) against those events. */

import {
  type CallOptions,
  canonicalJson,
  listAll,
  RUN_EVENTS,
  RUN_STATUSES,
  type Run,
  type RunStatus,
  readAll,
  type Session,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";

const RUN_STATUS = new Map<string, RunStatus>(RUN_STATUSES.map((status) => [RUN_EVENTS[status], status]));

const TYPES: readonly string[] = ["session_created", "session_updated", ...RUN_STATUS.keys()];

/**
 * The row and the events are read one after the other, so both are read again if somebody wrote into the log in
 * between. After this number of repetitions, no problem is reported.
 */
const TRIES = 20;

/** Returns the errors in the rows of one session, as sentences. */
export async function sessionProblems(
  store: Store,
  sessionId: string,
  call: CallOptions,
): Promise<readonly string[]> {
  const folded: FoldedLog = { sequence: 0, fields: { metadata: {} }, runs: new Map(), pruned: "no" };
  for (let tries = 0; ; tries++) {
    const before = await store.getLog(sessionId, call);
    const session = await store.getSession(sessionId, call);
    if (session === null || before === null) return [];
    // The inherited events of a fork belong to another session.
    if (before.forkedFrom !== undefined) return [];
    await foldNew(folded, store, sessionId, call);
    const runs = await runsOf(store, sessionId, call);
    const after = await store.latestSequence(sessionId, call);
    if (after === before.latestSequence || tries === TRIES) {
      return after === before.latestSequence
        ? [...fieldProblems(session, folded), ...runProblems(runs, folded)]
        : [];
    }
  }
}

/** Cursors that are beyond the end of their log. */
export async function cursorProblems(
  store: Store,
  logId: string,
  call: CallOptions,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const cursor of listAll((place) => store.listCursors({ ...call, ...place, logId }))) {
    if (cursor.sequence <= (await store.latestSequence(logId, call))) continue;
    problems.push(`The cursor ${cursor.name} is at ${cursor.sequence}, which the log has not reached.`);
  }
  return problems;
}

interface FoldedLog {
  /** The last event that was folded: another try reads only newer events. */
  sequence: number;
  /** The fields according to the events; a field that no event names is missing. */
  readonly fields: Record<string, unknown>;
  readonly runs: Map<string, RunStatus>;
  /** `yes` if payloads were pruned: the values of the fields in them are then unknown. */
  pruned: "yes" | "no";
}

async function foldNew(folded: FoldedLog, store: Store, logId: string, call: CallOptions): Promise<void> {
  for await (const event of readAll(store, logId, { ...call, after: folded.sequence, types: TYPES })) {
    foldEvent(folded, event);
    folded.sequence = event.sequence;
  }
}

function foldEvent(folded: FoldedLog, event: StoredEvent): void {
  const status = RUN_STATUS.get(event.type);
  if (status !== undefined) {
    if (event.runId !== undefined) folded.runs.set(event.runId, status);
  } else if (event.pruned !== undefined) folded.pruned = "yes";
  else foldFields(folded.fields, event.data as Readonly<Record<string, unknown>>);
}

function foldFields(fields: Record<string, unknown>, said: Readonly<Record<string, unknown>>): void {
  for (const key of ["title", "agent", "cwd", "status"]) if (said[key] !== undefined) fields[key] = said[key];
  const { metadata } = said;
  if (typeof metadata !== "object" || metadata === null) return;
  const merged = Object.entries({ ...(fields.metadata as object), ...metadata });
  fields.metadata = Object.fromEntries(merged.filter(([, value]) => value !== null));
}

function fieldProblems(session: Session, { fields, pruned }: FoldedLog): readonly string[] {
  if (pruned === "yes") return [];
  const row: Readonly<Record<string, unknown>> = { ...session };
  return Object.entries(fields)
    .filter(([key, value]) => canonicalJson(row[key]) !== canonicalJson(value))
    .map(([key]) => `The ${key} of the session is not what its log says.`);
}

function runProblems(rows: readonly Run[], { runs }: FoldedLog): readonly string[] {
  const problems: string[] = [];
  const known = new Set(rows.map(({ runId }) => runId));
  for (const { runId, status } of rows) {
    const said = runs.get(runId);
    if (said === undefined) problems.push(`The run ${runId} is not in the log.`);
    else if (said !== status) problems.push(`The run ${runId} is ${status}; the log says ${said}.`);
  }
  for (const runId of runs.keys())
    if (!known.has(runId)) problems.push(`The run ${runId} of the log has no row.`);
  return problems;
}

async function runsOf(store: Store, sessionId: string, call: CallOptions): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for await (const run of listAll((place) => store.listRuns({ ...call, ...place, sessionId })))
    runs.push(run);
  return runs;
}
