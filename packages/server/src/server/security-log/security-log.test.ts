/** The security log has each event once, no matter which part of the server sees it. */

import { type AuditEntry, ContinuoError } from "@continuo/core/model";
import { pageLabel } from "@continuo/core/wire";
import { expect, test, vi } from "vitest";
import type { Grant, Peer, SecurityEvent, SecurityLog } from "../context/index.ts";
import { watchAudit } from "./audit-watch.ts";
import { createFailureLog } from "./failures.ts";
import { createSecurityLog } from "./index.ts";
import { LIMITS } from "./limits.ts";
import { recordingLogins } from "./record-refusals.ts";

function recorded(): {
  readonly log: SecurityLog;
  readonly lines: readonly (readonly [string, SecurityEvent])[];
} {
  const lines: (readonly [string, SecurityEvent])[] = [];
  return { lines, log: { record: (type, event) => void lines.push([type, event]) } };
}

function entry(what: string, label: string | null, target: string): AuditEntry {
  const about = { who: "user:ann", from: null, workspaceId: "w", at: "2026-01-01T00:00:00.000Z" };
  return { ...about, what, target, details: label === null ? {} : { label } } as unknown as AuditEntry;
}

test("tokens that a command creates and revokes are recorded, and tokens of pages are not recorded a second time", async () => {
  const { log, lines } = recorded();
  const page = pageLabel({ kind: "tab", parentId: "5cd4bbbb-0000-4000-8000-000000000003" });
  const rounds = [
    [
      entry("token_created", "laptop", "t1"),
      entry("token_created", page, "t2"),
      entry("log_deleted", null, "x"),
    ],
    [entry("token_revoked", null, "t1")],
  ];
  const watch = watchAudit(async () => rounds.shift() ?? [], { log, report: () => undefined });
  // The watch checks a last time when it is closed.
  await watch.close();
  const from = { address: "user:ann", who: "user:ann", workspaceId: "w", tokenId: "t1" };
  expect(lines).toEqual([
    ["token_created", from],
    ["token_revoked", from],
  ]);
});

test("an audit log that cannot be read is reported once, until it can be read again", async () => {
  const { log } = recorded();
  const reports: string[] = [];
  const follow = async (): Promise<readonly AuditEntry[]> => {
    throw new Error("the disk is away");
  };
  const watch = watchAudit(follow, { log, report: (line) => reports.push(line) });
  await watch.close();
  expect(reports).toEqual([expect.stringContaining("the disk is away")]);
});

test("an error that passes through several parts of the server is one line, with the token of its request", () => {
  const { log, lines } = recorded();
  const failures = createFailureLog(log);
  const peer = { address: "192.0.2.7" } as Peer;
  failures.know(peer, { tokenId: "t1", workspaceId: "w", page: null } as unknown as Grant);
  const refused = new ContinuoError("forbidden", "the token lacks a scope", {
    details: { need: { kind: "channel", name: "team", access: "write" } },
  });
  for (let times = 0; times < 3; times++) failures.record(refused, peer);
  expect(lines).toMatchObject([
    ["access_refused", { address: "192.0.2.7", tokenId: "t1", reason: "channel:team:write" }],
  ]);
});

test("a token is recorded as accepted once an hour from each network", async () => {
  const { log, lines } = recorded();
  const authenticate = recordingLogins(
    async (_credentials, peer) => ({ tokenId: "t1", workspaceId: "w", page: null, peer }) as unknown as Grant,
    log,
  );
  const startMs = performance.now();
  const clock = vi.spyOn(performance, "now");
  const addresses = async (afterMs: number): Promise<readonly unknown[]> => {
    clock.mockReturnValue(startMs + afterMs);
    const before = lines.length;
    for (const address of ["192.0.2.7", "198.51.100.7", "192.0.2.7"]) {
      await authenticate({ secret: "x" } as never, { address, isLoopback: false });
    }
    return lines.slice(before).map(([type, event]) => [type, event.address]);
  };
  try {
    const first = [
      ["token_accepted", "192.0.2.7"],
      ["token_accepted", "198.51.100.7"],
    ];
    expect(await addresses(0)).toEqual(first);
    expect(await addresses(LIMITS.acceptedMs - 1)).toEqual([]);
    expect(await addresses(LIMITS.acceptedMs)).toEqual(first);
  } finally {
    clock.mockRestore();
  }
});

test("a minute in which all lines were used takes no lines from the next minute", () => {
  vi.useFakeTimers();
  try {
    const written: string[] = [];
    const log = createSecurityLog({ write: (line) => void written.push(line) });
    for (let network = 0; network < 40; network++) {
      for (let line = 0; line < 10; line++) log.record("login_failed", { address: `192.0.2.${network}` });
    }
    expect(written).toHaveLength(300);
    vi.advanceTimersByTime(60_000);
    written.length = 0;
    log.record("login_failed", { address: "192.0.2.1" });
    expect(written).toHaveLength(1);
    log.close();
  } finally {
    vi.useRealTimers();
  }
});

test("a limit or a right that a stranger meets is recorded by the part that refuses it, and not as one of a token", () => {
  const { log, lines } = recorded();
  const failures = createFailureLog(log);
  const peer = { address: "192.0.2.7" } as Peer;
  for (const code of ["rate_limited", "forbidden", "not_found"] as const)
    failures.record(new ContinuoError(code, "no"), peer);
  expect(lines).toEqual([]);
  failures.record(new ContinuoError("invalid", "no"), peer);
  expect(lines).toEqual([["input_refused", { address: "192.0.2.7", reason: "invalid" }]]);
});
