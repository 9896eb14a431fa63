/** Refusals of calls that write events: appends, logs, sessions, runs. */

import type { NewEvent } from "@continuo/core/model";
import { test } from "vitest";
import {
  also,
  event,
  FENCED,
  HASH,
  NO_LOG,
  NO_NAME,
  NO_TIME,
  PAST,
  type Refusal,
  refusedAsGone,
  refusing,
  TOO_LARGE,
} from "./world.ts";

function wrongEvent(given: unknown, message: string, details: object = {}): Refusal {
  return [(store) => store.append("log", [event({}), given as NewEvent]), message, { ...details, index: 1 }];
}

const EVENTS: readonly Refusal[] = [
  [
    (store) =>
      store.append(
        "log",
        Array.from({ length: 10_001 }, () => event({})),
      ),
    "events of one append: 10001 is more than the limit of 10000",
    { code: "too_large", hint: TOO_LARGE, what: "events of one append", limit: 10_000, size: 10_001 },
  ],
  wrongEvent(null, "an event must be an object"),
  wrongEvent(7, "an event must be an object"),
  wrongEvent({ data: 1 }, `the type of an event ${NO_NAME}`),
  wrongEvent({ type: "mine" }, "an event has no data", { type: "mine" }),
  wrongEvent(event({ id: 7 }), `the id of an event ${NO_NAME}`),
  wrongEvent(event({ id: "a\nb" }), "the id of an event has control characters"),
  wrongEvent(event({ id: "\ud800" }), "the id of an event is not well-formed Unicode"),
  wrongEvent(event({ parentId: "" }), `the parentId of an event ${NO_NAME}`),
  wrongEvent(event({ runId: "" }), `the runId of an event ${NO_NAME}`),
  wrongEvent(event({ occurredAt: "today" }), `the occurredAt of an event ${NO_TIME}`),
  wrongEvent(event({ retention: "some" }), "the retention must be critical or supplementary"),
  wrongEvent(event({ salt: "mine" }), 'the salt of an event must be "random" or absent'),
  wrongEvent(event({ blobs: ["x"] }), "the hash of a blob must be 64 hex digits", { hash: "x" }),
  wrongEvent(
    event({ actor: { kind: "robot" } }),
    "the actor of an event must be a person, an agent or the system",
  ),
  wrongEvent(event({ actor: { kind: "agent", id: "" } }), `the id of an actor ${NO_NAME}`),
  wrongEvent(event({ actor: { kind: "agent", agent: "" } }), `the agent of an actor ${NO_NAME}`),
  wrongEvent(event({ data: new Uint8Array(1) }), "only events of the type `bytes` can contain bytes"),
  [
    (store) => store.append("log", [event({ id: "twice" }), event({ id: "twice" })]),
    "two events of one append have the id twice",
    { id: "twice" },
  ],
];

const APPENDS: readonly Refusal[] = [
  [(store) => store.append("log", {} as never), "append takes an array of events.", {}],
  [(store) => store.append("log", []), "An append holds no events and no side writes.", {}],
  [
    (store) => store.append("log", [event({})], { expectedSequence: -1 }),
    "the expectedSequence must be a sequence (a whole number of at least 0)",
    {},
  ],
  [
    (store) => store.append("none", [event({})]),
    "there is no log none",
    { code: "not_found", hint: NO_LOG, logId: "none" },
  ],
  refusedAsGone((store) => store.append("hidden", [event({})])),
  [
    (store) => store.append("closed", [event({})]),
    "the log closed is closed",
    {
      code: "log_closed",
      hint: "Fork the log to continue after its end.",
      logId: "closed",
      latestSequence: 1,
    },
  ],
  [
    (store) => store.append("bytes", [{ type: "bytes", data: new Uint8Array(1) }], { mediaType: "a/b" }),
    "the log bytes holds text/plain, not a/b",
    {
      code: "conflict",
      hint: "Read the log's media type, and try again.",
      logId: "bytes",
      mediaType: "text/plain",
    },
  ],
  [
    (store) => store.append("bytes", [event({ id: "e" })]),
    'the log bytes holds bytes (text/plain); its records are { type: "bytes", data: Uint8Array }',
    { logId: "bytes", id: "e" },
  ],
  [
    (store) => store.append("log", [{ type: "bytes", data: new Uint8Array(1), id: "e" }]),
    "the log log holds events, not bytes",
    { logId: "log", id: "e" },
  ],
  [
    (store) => store.append("log", [event({ id: "e1" }), event({ id: "new" })]),
    "some events of this append are already stored in log, others are not",
    {
      code: "conflict",
      hint: "Append exactly the same events again, or use new ids.",
      logId: "log",
      storedIds: ["e1"],
    },
  ],
  [
    (store) => store.append("log", [event({ id: "e2", data: 2 })]),
    "the id e2 in log belongs to an event with other content",
    { code: "conflict", hint: "Give the new event a new id.", logId: "log", id: "e2", sequence: 2 },
  ],
  [
    (store) => store.append("log", [event({})], { expectedSequence: 7 }),
    "the log log is at sequence 2, not at 7",
    {
      code: "conflict",
      hint: "Read the new events, and try again.",
      logId: "log",
      expectedSequence: 7,
      latestSequence: 2,
    },
  ],
  ...(
    [
      ["none", 1, null, "the lease none was never granted with token 1"],
      ["lease", 2, 1, "the lease lease was never granted with token 2"],
      ["lease", 0, 1, "the lease lease was granted to another holder"],
    ] as const
  ).map(
    ([name, givenToken, token, message]): Refusal => [
      (store) => store.append("log", [event({})], { lease: { name, token: givenToken } }),
      message,
      { code: "fenced", hint: FENCED, name, givenToken, token },
    ],
  ),
  [
    (store) => store.append("log", [event({ blobs: [HASH] })]),
    `there is no blob ${HASH}`,
    { code: "not_found", id: HASH },
  ],
  [(store) => also(store, { type: "magic" }), "there is no side write of the type magic", {}],
];

const LOGS: readonly Refusal[] = [
  [(store) => store.createLog({ logId: "" }), `the logId ${NO_NAME}`, {}],
  [(store) => store.createLog({ mediaType: 7 as never }), "the mediaType must be a text", {}],
  [
    (store) => store.createLog({ ttl: 1, expiresAt: "2099-01-01T00:00:00Z" }),
    "a log can have `ttl` or `expiresAt`, not both",
    {},
  ],
  [
    (store) => store.createLog({ ttl: 0 }),
    "the ttl of a log must be a number of seconds above 0",
    { ttl: 0 },
  ],
  [(store) => store.createLog({ expiresAt: "soon" }), `the expiresAt of a log ${NO_TIME}`, {}],
  [(store) => store.createLog({ metadata: [] as never }), "the metadata must be an object", {}],
  [
    (store) => store.createLog({ logId: "hidden" }),
    "the id hidden belongs to a deleted log that its forks still read",
    { code: "conflict", hint: "Choose another id, or delete the forks first.", logId: "hidden" },
  ],
  [
    (store) => store.forkLog("bytes", 0, { mediaType: "a/b" }),
    "a fork must have the media type of its source, text/plain",
    { code: "conflict", mediaType: "a/b", sourceMediaType: "text/plain" },
  ],
  ...(
    [
      [{ mediaType: "a/b", ttl: 1, state: "closed" }, ["mediaType", "ttl", "state"]],
      [{ expiresAt: "2099-01-01T00:00:00Z" }, ["expiresAt"]],
      [{ forkedFrom: { logId: "fork" } }, ["forkedFrom"]],
    ] as const
  ).map(
    ([settings, differences]): Refusal => [
      (store) => store.createLog({ logId: "log", ...settings }),
      `there is already a log log with other settings: ${differences.join(", ")}`,
      {
        code: "conflict",
        hint: "Use the same settings, or choose another id.",
        logId: "log",
        differences,
      },
    ],
  ),
  [(store) => store.getLog(""), `the logId ${NO_NAME}`, {}],
  refusedAsGone((store) => store.getLog("hidden")),
  refusedAsGone((store) => store.deleteLog("hidden")),
  refusedAsGone((store) => store.closeLog("hidden")),
  [
    (store) => store.deleteLog("none"),
    "there is no log none",
    { code: "not_found", hint: NO_LOG, logId: "none" },
  ],
  [(store) => store.deleteLog("log", { reason: 7 as never }), "the reason must be a text", {}],
  [(store) => store.listDeletedLogs({ logId: 7 as never }), "the logId must be a text", {}],
  [(store) => store.listLogs({ limit: 0 }), "the limit of a list must be from 1 to 1000", { limit: 0 }],
  [
    (store) => store.countEvents("log", { after: -1 }),
    "the after must be a sequence (a whole number of at least 0)",
    {},
  ],
  [
    (store) => store.countEvents("log", { before: -1 }),
    "the before must be a sequence (a whole number of at least 0)",
    {},
  ],
  [(store) => store.countEvents("log", { types: [""] }), `the type ${NO_NAME}`, {}],
  [
    (store) => store.countEvents("log", { retention: "all" as never }),
    "the retention must be critical or supplementary",
    {},
  ],
  ...["fromMs", "toMs", "nearMs"].map(
    (time): Refusal => [
      (store) => store.readMedia("log", { fromMs: 0, toMs: 1, [time]: -1 }),
      `the ${time} must be a sequence (a whole number of at least 0)`,
      {},
    ],
  ),
  [(store) => store.readMedia("log", { fromMs: 0, toMs: 1, types: [""] }), `the type ${NO_NAME}`, {}],
  [
    (store) => store.readMedia("log", { fromMs: 0, toMs: 1, maxBytes: 0 }),
    "maxBytes must be a number above 0",
    { maxBytes: 0 },
  ],
  [
    (store) => store.readMedia("log", { fromMs: 0, toMs: 1, retention: "all" as never }),
    "the retention must be critical or supplementary",
    {},
  ],
  [(store) => store.prune("log", { reason: "r", sequences: 7 as never }), "sequences is an array.", {}],
  [
    (store) => store.prune("log", { reason: "r", sequences: new Array(10_001).fill(1) }),
    "Sequences to prune: 10001 is more than the limit of 10000",
    { code: "too_large", hint: TOO_LARGE, what: "Sequences to prune", limit: 10_000, size: 10_001 },
  ],
];

const SESSIONS: readonly Refusal[] = [
  [(store) => store.createSession({ sessionId: "" }), `the sessionId ${NO_NAME}`, {}],
  ...["session", "log"].map(
    (sessionId): Refusal => [
      (store) => store.createSession({ sessionId }),
      `there is already a session or a log ${sessionId}`,
      { code: "conflict", sessionId },
    ],
  ),
  [
    (store) => store.createSession({ sessionId: "session", ttl: 60_000 }),
    "there is already a session or a log session",
    { code: "conflict", sessionId: "session" },
  ],
  [
    (store) => store.createSession({ forkedFrom: { logId: "bytes" } }),
    "a session cannot be forked from a log of bytes",
    {},
  ],
  [
    (store) => store.createSession({ sessionId: "past", expiresAt: PAST }),
    "cannot create a session that has already expired",
    { sessionId: "past" },
  ],
  ...["title", "agent", "cwd", "parentId", "status"].flatMap((key): readonly Refusal[] => [
    [(store) => store.createSession({ [key]: 7 }), `the ${key} must be a text`, {}],
    [(store) => store.createSession({ [key]: "\u0000" }), `the ${key} has a NUL or a lone surrogate`, {}],
  ]),
  ...["title", "agent", "cwd", "status"].map(
    (key): Refusal => [
      (store) => store.updateSession("session", { [key]: 7 }),
      `the ${key} must be a text`,
      {},
    ],
  ),
  [(store) => store.updateSession("session", { status: null } as never), "a session must have a status", {}],
  [(store) => store.updateSession("session", { metadata: 7 as never }), "the metadata must be an object", {}],
  [(store) => store.updateSession("none", {}), "there is no session none", { code: "not_found", id: "none" }],
  [
    (store) => also(store, { type: "session", sessionId: "session", patch: null }),
    "the patch of a session must be an object",
    {},
  ],
  [
    (store) => also(store, { type: "session", patch: {} }),
    "there is no session log",
    { code: "not_found", id: "log" },
  ],
  [(store) => store.getSession(""), `the sessionId ${NO_NAME}`, {}],
  [(store) => store.deleteSession(""), `the sessionId ${NO_NAME}`, {}],
  [(store) => store.deleteSession("log"), "there is no session log", { code: "not_found", id: "log" }],
  ...["status", "agent", "cwd", "parentId", "prefix"].map(
    (filter): Refusal => [(store) => store.listSessions({ [filter]: 7 }), `the ${filter} must be a text`, {}],
  ),
  ...["activeAfter", "activeBefore"].map(
    (filter): Refusal => [
      (store) => store.listSessions({ [filter]: "soon" }),
      `the ${filter} ${NO_TIME}`,
      {},
    ],
  ),
];

const RUNS: readonly Refusal[] = [
  [(store) => store.createRun({ sessionId: "" }), `the sessionId ${NO_NAME}`, {}],
  [
    (store) => store.createRun({ sessionId: "log" }),
    "there is no session log",
    { code: "not_found", id: "log" },
  ],
  [(store) => also(store, { type: "new_run", run: { runId: "" } }), `the runId ${NO_NAME}`, {}],
  [(store) => store.createRun({ sessionId: "session", agent: "" }), `the agent of a run ${NO_NAME}`, {}],
  [
    (store) => store.createRun({ sessionId: "session", runId: "run" }),
    "there is already a run run",
    { code: "conflict", runId: "run" },
  ],
  [(store) => store.getRun(""), `the runId ${NO_NAME}`, {}],
  [(store) => store.transitionRun("", { to: "running" }), `the runId ${NO_NAME}`, {}],
  [
    (store) => store.transitionRun("none", { to: "running" }),
    "there is no run none",
    { code: "not_found", id: "none" },
  ],
  [
    (store) => also(store, { type: "run", runId: "none", to: "running" }),
    "there is no run none",
    { code: "not_found", id: "none" },
  ],
  [(store) => store.transitionRun("run", { to: "magic" as never }), "there is no status magic of a run", {}],
  [
    (store) => store.transitionRun("ended", { to: "running" }),
    "the run ended has already ended (cancelled)",
    { code: "invalid_transition", runId: "ended", from: "cancelled", to: "running", allowed: [] },
  ],
  [
    (store) => store.transitionRun("run", { to: "completed" }),
    "the run run is pending, and cannot become completed",
    {
      code: "invalid_transition",
      runId: "run",
      from: "pending",
      to: "completed",
      allowed: ["running", "cancelled", "interrupted"],
    },
  ],
  [(store) => store.claimNextRun({ owner: "" }), `the owner of a run ${NO_NAME}`, {}],
  ...["sessionId", "owner", "status"].map(
    (filter): Refusal => [(store) => store.listRuns({ [filter]: 7 }), `the ${filter} must be a text`, {}],
  ),
];

const expectRefusals = refusing();

test.each([
  ["events", EVENTS],
  ["appends", APPENDS],
  ["logs", LOGS],
  ["sessions", SESSIONS],
  ["runs", RUNS],
] as const)("a refusal about %s names the mistake, its subject, and what to do", async (_what, refusals) => {
  await expectRefusals(refusals);
});
