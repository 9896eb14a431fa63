/** Defects in runs, leases and tails. */

import type { Defect } from "../programs.ts";

const APPEND = "store/rules/append.ts";
const SHARED_TAIL = "store/shared-tail.ts";

export const RUN_DEFECTS: readonly Defect[] = [
  {
    name: "a lease fences no append",
    file: APPEND,
    find: "if (row?.token === lease.token) return;",
    replace: "if (row !== undefined) return;",
  },
  {
    name: "a stored event is appended again",
    file: APPEND,
    find: "if (retriable.length === 0) return undefined;",
    replace: "return undefined;",
  },
  {
    name: "sequences have gaps",
    file: APPEND,
    find: "log.head_sequence + events.length, head)",
    replace: "log.head_sequence + events.length + 1, head)",
  },
  {
    name: "the chain of hashes leaves events out",
    file: APPEND,
    find: "head = one.stored.chainHash;",
    replace: "if (index === 0) head = one.stored.chainHash;",
  },
  {
    name: "side writes of an append are forgotten",
    file: APPEND,
    find: "request.also ?? []);\n  return numbered",
    replace: "[]);\n  return numbered",
  },
  {
    name: "readers are not woken",
    file: APPEND,
    find: "  noteAppended(\n    tx,",
    replace: "  noteAppended(\n    { changed: new Set() },",
  },
  {
    name: "an ended run moves on",
    file: "store/rules/run-rows.ts",
    find: "if (!allowed.includes(to))",
    replace: "if (false)",
  },
  {
    name: "the token of a lease does not grow",
    file: "store/rules/leases.ts",
    find: "token = token + 1",
    replace: "token = max(token, 1)",
  },
  {
    name: "a lease is never free",
    file: "store/rules/leases.ts",
    find: "held.expires_at > held.now && held.owner",
    replace: "held.owner",
  },
  {
    name: "a lease is renewed by whoever had it",
    file: "store/rules/leases.ts",
    find: "if (held.token !== token) {",
    replace: "if (false) {",
  },
  {
    name: "a lease is not given back",
    file: "store/rules/leases.ts",
    find: "and token = ? and expires_at > 0",
    replace: "and token = ? and expires_at < 0",
  },
  {
    name: "a claim skips no generation check",
    file: "store/rules/claims.ts",
    find: "const isNext = write.generation === stored + 1;",
    replace: "const isNext = true;",
  },
  {
    name: "a tail begins after its place",
    file: SHARED_TAIL,
    find: "for (let next = after; ; next++)",
    replace: "for (let next = after + 1; ; next++)",
  },
  {
    name: "a tail waits at events that are there",
    file: SHARED_TAIL,
    find: "if (after >= this.#head) return",
    replace: "if (after + 1 >= this.#head) return",
  },
  {
    name: "a run begins without the lease",
    file: "sessions/run-turn.ts",
    find: "store.append(sessionId, events, { lease, also });",
    replace: "store.append(sessionId, events, { also });",
  },
  {
    name: "a run begins without its row",
    file: "sessions/run-turn.ts",
    find: '{ type: "run", runId, to: "running", patch: { owner, metadata } },',
    replace: "",
  },
  {
    name: "the beginning does not move the cursor",
    file: "sessions/run-turn.ts",
    find: '{ type: "cursor", name: "received", sequence },',
    replace: "",
  },
  {
    name: "the events of a run have no lease",
    file: "sessions/journal/journal.ts",
    find: "{ lease, also: writes },",
    replace: "{ also: writes },",
  },
  {
    name: "a batch loses its first event",
    file: "sessions/journal/journal.ts",
    find: "batch.map(({ event }) => event),",
    replace: "batch.map(({ event }) => event).slice(batch.length > 1 ? 1 : 0),",
  },
  {
    name: "events get a new id at each try",
    file: "sessions/journal/journal.ts",
    find: "batch.map(({ event }) => event),",
    replace: "batch.map(({ event: { id: _, ...event } }) => event),",
  },
  {
    name: "runs of processes that are gone are left",
    file: "sessions/execute.ts",
    find: "for (const other of others) await",
    replace: "for (const other of others.slice(1)) await",
  },
  {
    name: "an interrupted run ends without the lease",
    file: "sessions/interrupt.ts",
    find: "repeatable, { lease, also }",
    replace: "repeatable, { also }",
  },
  {
    name: "an interrupted run keeps its row",
    file: "sessions/interrupt.ts",
    find: "const also: Write[] = [write];",
    replace: "const also: Write[] = []; void write;",
  },
  {
    name: "a new run is begun with another id at each try",
    file: "sessions/retries.ts",
    find: '{ id: newId(), type: "run_created"',
    replace: '{ type: "run_created"',
  },
  {
    name: "an input is given again to several runs",
    file: "sessions/retries.ts",
    find: "also: [taking.claim], ...call",
    replace: "also: [], ...call",
  },
  {
    name: "an input that was answered is given again",
    file: "sessions/retries.ts",
    find: 'new Set(["interrupted", "cancelled", "failed", "timeout"])',
    replace: 'new Set(["interrupted", "cancelled", "failed", "timeout", "completed"])',
  },
  {
    name: "an input is offered although a later run has it",
    file: "sessions/wake.ts",
    find: "=== run.runId) yield run;",
    replace: "!== null) yield run;",
  },
  {
    name: "no input is offered",
    file: "sessions/wake.ts",
    find: 'types: ["run_interrupted"], limit',
    replace: 'types: ["run_failed"], limit',
  },
  {
    name: "runs that no process has are not ended",
    file: "sessions/wake.ts",
    find: '(["pending", "running"] as const)',
    replace: '(["pending"] as const)',
  },
  {
    name: "an end is written without its row",
    file: "sessions/finish.ts",
    find: "entries.push(entry);\n  also.push(write);",
    replace: "entries.push(entry);",
  },
  {
    name: "an end leaves the words before it out",
    file: "sessions/finish.ts",
    find: "entries.push(entry);\n  also.push(write);",
    replace: "also.push(write);",
  },
  {
    name: "a store that is busy ends a call",
    file: "sessions/patient-store.ts",
    find: "if (!isPassing(error)) throw error;",
    replace: "throw error;",
  },
  {
    name: "calls that may not be repeated are",
    file: "sessions/patient-store.ts",
    find: "createOnce(target, { outage, session });",
    replace: "outage.over(() => target.createSession(session));",
  },
  {
    name: "a run does not wait for its turn",
    file: "sessions/queue.ts",
    find: 'if (line !== "ended" && isTurn(beforeIn(line, run.runId))) {',
    replace: 'if (line !== "ended") {',
  },
  {
    name: "a cancelled run is cancelled in any state",
    file: "sessions/cancel.ts",
    find: 'if (run?.status !== "pending") return null;',
    replace: "if (run === null) return null;",
  },
];
