import { ContinuoError } from "@continuo/core/model";
import type { AgentReader, FoundSession } from "@continuo/native/kit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DriverOptions } from "./options.ts";
import { markOf, markSoon, verifyAfterTurn } from "./verify.ts";

/** The content of the disk. */
interface StoredSession {
  readonly updatedAt?: string | null;
  readonly sizeBytes?: number;
  /** The folder of the session, if it is another one. */
  readonly cwd?: string;
  /** The error that reading it throws. */
  readonly error?: Error;
}

const CWD = "/folder";
const BEFORE = "2026-01-01T10:00:00.000Z";
const ASKED = "2026-01-01T11:00:00.000Z";
const AFTER = "2026-01-01T11:00:05.000Z";
const torn = new ContinuoError("unreadable", "It is torn.");

/** A reader of a disk that may change while it is looked at. */
function disk(
  sessions: Record<string, StoredSession>,
): DriverOptions & { readonly sessions: Record<string, StoredSession> } {
  const found = (sessionId: string): FoundSession => ({
    agent: "pi",
    sessionId,
    location: `/sessions/${sessionId}`,
    files: [],
    archived: false,
    live: null,
    problems: [],
  });
  const reader = {
    async *find(_: unknown, { cwd }: { readonly cwd?: string }) {
      for (const [id, lying] of Object.entries(sessions)) {
        if (cwd === undefined || cwd === (lying.cwd ?? CWD)) yield found(id);
      }
    },
    async skim({ sessionId }: FoundSession) {
      const { updatedAt = BEFORE, sizeBytes = 10, error } = sessions[sessionId] ?? {};
      if (error !== undefined) throw error;
      return { updatedAt, sizeBytes };
    },
  } as unknown as AgentReader;
  return { places: { home: "/home", env: {} }, reader, sessions };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Advances the fake clock until the promise resolves. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  await vi.runAllTimersAsync();
  return await promise;
}

describe("after the first turn", () => {
  const verify = async (
    before: Record<string, StoredSession>,
    change: () => void,
    options = disk(before),
  ) => {
    const where = { sessionId: "s1", cwd: CWD };
    const mark = await markOf(options, where);
    change();
    const after = { ...where, before: mark, answered: "s1", askedAtMs: Date.parse(ASKED) };
    return await soon(verifyAfterTurn(options, after));
  };
  const didNotGrow = {
    verifiedBy: "agent",
    reason: "its history on disk did not grow with the first turn",
  };

  test.each<[string, Record<string, StoredSession>, Record<string, StoredSession>, object]>([
    ["grown in size: verified", { s1: {} }, { s1: { sizeBytes: 20 } }, { verifiedBy: "agent and disk" }],
    [
      "grown in time (a database): verified",
      { s1: {} },
      { s1: { updatedAt: AFTER } },
      { verifiedBy: "agent and disk" },
    ],
    ["there for the first time: verified", {}, { s1: {} }, { verifiedBy: "agent and disk" }],
    [
      "in another folder: verified",
      { s1: { cwd: "/" } },
      { s1: { cwd: "/", sizeBytes: 20 } },
      { verifiedBy: "agent and disk" },
    ],
    ["not grown: only the agent's report", { s1: {} }, {}, didNotGrow],
    ["not grown, and dated in the future: no fork to itself", { s1: { updatedAt: AFTER } }, {}, didNotGrow],
    [
      "gone: only the agent's report",
      { s1: {} },
      { s1: { error: torn } },
      { verifiedBy: "agent", reason: "its history is not on disk" },
    ],
    [
      "not grown, but other sessions of the folder have: forked to the newest of them",
      { s1: {}, s2: {} },
      {
        s2: { updatedAt: AFTER },
        s3: { updatedAt: "2026-01-01T11:00:04.000Z" },
        torn: { error: torn },
      },
      { verifiedBy: "disk", forked: { from: "s1", to: "s2" } },
    ],
    [
      "not grown, and another one newer since before the turn: no fork",
      { s1: {}, s2: { updatedAt: "2026-01-01T10:30:00.000Z" } },
      { torn: { error: torn }, timeless: { updatedAt: null } },
      didNotGrow,
    ],
    [
      "not grown, and one of another folder has: no fork",
      { s1: {} },
      { s2: { cwd: "/", updatedAt: AFTER } },
      didNotGrow,
    ],
  ])("%s", async (_, before, after, expected) => {
    const options = disk({ ...before });
    const change = (): void => void Object.assign(options.sessions, after);
    expect(await verify(before, change, options)).toEqual(expected);
  });

  test("records that are written a moment later are awaited", async () => {
    const options = disk({ s1: {} });
    const write = (): void => {
      setTimeout(() => Object.assign(options.sessions, { s1: { sizeBytes: 20 } }), 1_000);
    };
    expect(await verify({}, write, options)).toEqual({ verifiedBy: "agent and disk" });
  });

  test("if one read of the disk takes longer than the wait for records, the disk is read once more", async () => {
    const quick = disk({ s1: {} });
    const { reader } = quick;
    if (reader === undefined) throw new Error("a disk has a reader");
    const skim: AgentReader["skim"] = async (...args) => {
      const seen = await reader.skim(...args);
      await new Promise((done) => setTimeout(done, 2_000));
      return seen;
    };
    const where = { sessionId: "s1", cwd: CWD };
    const before = await markOf(quick, where);
    setTimeout(() => Object.assign(quick.sessions, { s1: { sizeBytes: 20 } }), 1_000);
    const after = { ...where, before, answered: "s1", askedAtMs: Date.parse(ASKED) };
    expect(await soon(verifyAfterTurn({ ...quick, reader: { ...reader, skim } }, after))).toEqual({
      verifiedBy: "agent and disk",
    });
  });

  test("an agent that reports another session is believed, also if Continuo cannot read its files", async () => {
    const after = { sessionId: "s1", cwd: CWD, before: null, askedAtMs: 0 };
    expect(await verifyAfterTurn(disk({ s1: {} }), { ...after, answered: "s2" })).toEqual({
      verifiedBy: "agent",
      forked: { from: "s1", to: "s2" },
    });
    const unread: DriverOptions = { places: { home: "/home", env: {} } };
    expect(await verifyAfterTurn(unread, { ...after, answered: "s1" })).toEqual({ verifiedBy: "agent" });
  });

  test("a programming error is not treated as a disk that cannot be read", async () => {
    const broken = verify({ s1: { error: new TypeError("ours") } }, () => undefined);
    await expect(broken).rejects.toThrow("ours");
  });
});

describe("a session on disk", () => {
  const where = { sessionId: "s1", cwd: CWD };

  test("is awaited for a limited time, and not at all if Continuo cannot read the agent's files", async () => {
    const late = disk({});
    setTimeout(() => Object.assign(late.sessions, { s1: { sizeBytes: 5 } }), 1_000);
    expect(await soon(markSoon(late, where))).toMatchObject({ found: { sessionId: "s1" }, sizeBytes: 5 });
    expect(await soon(markSoon(disk({}), where))).toBe(null);
    expect(await markSoon(disk({ s1: {} }), where)).toMatchObject({ sizeBytes: 10 });
    expect(await markSoon({ places: { home: "/home", env: {} } }, where)).toBe(null);
  });
});
