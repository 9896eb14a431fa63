import type { Session } from "@continuo/core/model";
import { expect, test } from "vitest";
import {
  type Reference,
  referenceOf,
  referencePatch,
  toNativeRef,
  toReference,
  unsurePatch,
  usedNative,
} from "./references.ts";

const KEPT: Reference = {
  sessionId: "n1",
  model: "m",
  location: "/tmp/n1",
  cwd: "/tmp",
  baseSequence: 7,
  verifiedAt: "2026-01-01T00:00:00.000Z",
  state: "unsure",
};

function sessionWith(providerSessions: unknown): Session {
  return { metadata: { providerSessions } } as unknown as Session;
}

test("a reference is read as it was kept", () => {
  expect(referenceOf(sessionWith({ claude: KEPT }), "claude")).toEqual(KEPT);
  expect(referenceOf(sessionWith({ claude: KEPT }), "codex")).toBeNull();
});

test.each([undefined, null, "n1", 7, {}, { claude: null }, { claude: "n1" }, { claude: { sessionId: 7 } }])(
  "where %j stands there is no reference",
  (providerSessions) => {
    expect(referenceOf(sessionWith(providerSessions), "claude")).toBeNull();
  },
);

test("a field that a reference does not have is unknown", () => {
  const kept = { sessionId: "n1", baseSequence: "7", state: "other" };
  expect(referenceOf(sessionWith({ claude: kept }), "claude")).toEqual({
    sessionId: "n1",
    model: null,
    location: null,
    cwd: null,
    baseSequence: 0,
    verifiedAt: null,
    state: "live",
  });
});

test("a reference has the facts that a run knows, and a time of verification only if somebody verified it", () => {
  const ref = { agent: "claude", sessionId: "n1", location: "/tmp/n1", cwd: "/tmp" };
  expect(toNativeRef("claude", KEPT)).toEqual(ref);
  const now = "2026-01-01T00:00:00.000Z";
  const known = { ref, model: "m", baseSequence: 7, state: "unsure", now } as const;
  expect(toReference({ ...known, verifiedBy: "agent" })).toEqual(KEPT);
  expect(toReference({ ...known, verifiedBy: "none" })).toEqual({ ...KEPT, verifiedAt: null });
});

test("a new reference leaves those of other agents as they are", () => {
  const other = { sessionId: "c1" };
  expect(referencePatch(sessionWith({ codex: other, claude: other }), "claude", KEPT)).toEqual({
    providerSessionId: "n1",
    providerSessions: { codex: other, claude: KEPT },
  });
  expect(referencePatch(sessionWith("none"), "claude", KEPT)).toEqual({
    providerSessionId: "n1",
    providerSessions: { claude: KEPT },
  });
});

test("only the reference of that native session becomes unsure", () => {
  const live = { ...KEPT, state: "live" };
  const session = sessionWith({ claude: live, codex: live });
  expect(unsurePatch(session, "claude", "n1")).toEqual({
    providerSessions: { codex: live, claude: { ...live, state: "unsure" } },
  });
  expect(unsurePatch(session, "claude", "n2")).toBeNull();
  expect(unsurePatch(session, "pi", "n1")).toBeNull();
});

test.each([
  [{ native: { agent: "claude", sessionId: "n1", more: 1 } }, { agent: "claude", sessionId: "n1" }],
  [{ native: { agent: "claude" } }, null],
  [{ native: { sessionId: "n1" } }, null],
  [{ native: null }, null],
  [{}, null],
])("of the run's metadata %j it used %j", (metadata, used) => {
  expect(usedNative(metadata)).toEqual(used);
});
