/** The rows of the list that an editor shows. */

import type { MachineSession } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { isShown, keptSummary, toSummary } from "./summary.ts";

const ROW = {
  key: "claude:4bf3",
  agent: "claude",
  title: "Fix the build",
  createdAt: "2026-03-01T10:00:00.000Z",
  updatedAt: "2026-03-01T11:00:00.000Z",
  cwd: "/home/ann/app",
  archived: false,
  gitBranch: "main",
  live: null,
  place: null,
  problems: [],
  costUsd: null,
  forkedFrom: null,
} as unknown as MachineSession;

test("conversations are shown, parts of channels and sessions without a word are not", () => {
  expect(isShown(ROW)).toBe(true);
  expect(isShown({ ...ROW, title: null })).toBe(false);
  expect(
    isShown({ ...ROW, place: { of: "channel", name: "team" } as unknown as MachineSession["place"] }),
  ).toBe(false);
});

test("a row has the time of its last change, or of its beginning if it has no change", () => {
  expect(toSummary(ROW)).toMatchObject({
    provider: "claude",
    title: "Fix the build",
    createdAt: "2026-03-01T10:00:00.000Z",
    modifiedAt: "2026-03-01T11:00:00.000Z",
  });
  expect(toSummary({ ...ROW, updatedAt: null }).modifiedAt).toBe("2026-03-01T10:00:00.000Z");
});

test("the summary of a row is made once, and that of a row that is not shown is none", () => {
  expect(keptSummary(ROW)).toEqual(toSummary(ROW));
  expect(keptSummary(ROW)).toBe(keptSummary(ROW));
  expect(keptSummary({ ...ROW, title: "Fix the test" })).toMatchObject({ title: "Fix the test" });
  expect(keptSummary({ ...ROW, title: null })).toBeNull();
});

test("a summary says what is known of a session in addition, and nothing of what is not", () => {
  expect(toSummary({ ...ROW, gitBranch: null })._meta).toEqual({ continuo: { key: "claude:4bf3" } });
  const known = { ...ROW, live: false, problems: ["torn_line"], costUsd: 0.25, forkedFrom: "claude:1a2b" };
  expect(toSummary(known)._meta).toEqual({
    continuo: {
      key: "claude:4bf3",
      gitBranch: "main",
      live: false,
      health: { problems: ["torn_line"] },
      costUsd: 0.25,
      forkedFrom: "claude:/1a2b",
    },
  });
});
