/** The sentences with which the page of health begins. */

import type { HealthRun, HiddenRow, SessionsAtRisk } from "@continuo/core/wire/machine";
import { describe, expect, test } from "vitest";
import { goWithin, type HealthFacts, judge } from "./judgement.ts";
import { type HiddenLine, mergeLines } from "./risk-state.ts";

const NO_DUE: SessionsAtRisk["due"] = { days: 5, sessions: 0, withoutCopy: 0, rules: [] };
const SAFE: SessionsAtRisk = { hidden: [], hiddenCount: 0, due: NO_DUE, isGuarded: false, notices: [] };
const WELL: HealthFacts = { isReady: true, failed: 0, running: [], atRisk: SAFE, isLooking: true };
const RUN: HealthRun = {
  key: "continuo:1",
  title: null,
  agent: null,
  startedAt: "2026-11-20T10:00:00.000Z",
  runner: "this server",
  leaseUntil: null,
};

const said = (known: Partial<HealthFacts>): readonly string[] =>
  judge({ ...WELL, ...known }).map(({ tone, sentence }) => `${tone}: ${sentence}`);
const saidOf = (atRisk: Partial<SessionsAtRisk>): readonly string[] =>
  said({ atRisk: { ...SAFE, ...atRisk } });

describe("the judgement of health", () => {
  test("a page says that everything works only when the sessions at risk are known", () => {
    expect(said({})).toEqual([
      "good: Everything works. No session is hidden by its agent, and none will be deleted within 5 days.",
    ]);
    expect(said({ atRisk: null })).toEqual([
      "good: The server works. Looking for sessions that agents hide or delete soon.",
    ]);
    expect(said({ atRisk: null, isLooking: false })).toEqual([
      "good: The server works. Sessions that agents hide or delete soon are not known.",
    ]);
  });

  test("a judgement begins with the worst fault, and links to the section with more about it", () => {
    const atRisk = { ...SAFE, hiddenCount: 1, due: { ...NO_DUE, sessions: 2, withoutCopy: 2 } };
    const running = [{ ...RUN, runner: "nobody" } as const, RUN];
    const found = judge({ isReady: false, failed: 3, running, atRisk, isLooking: true });
    expect(found).toEqual([
      { tone: "bad", sentence: "The store does not answer.", section: "health-server" },
      {
        tone: "bad",
        sentence: "3 requests failed in the server: its output says why.",
        section: "health-server",
      },
      { tone: "bad", sentence: "1 turn lost its process.", section: "health-turns" },
      {
        tone: "warn",
        sentence: "2 sessions will be deleted within 5 days, without a copy.",
        section: "health-due",
      },
      { tone: "warn", sentence: "1 session is hidden from its agent's own list.", section: "health-hidden" },
    ]);
  });

  test("a running turn, and sessions that the guard has copied, are not faults", () => {
    expect(said({ running: [RUN] })).toHaveLength(1);
    expect(saidOf({ due: { ...NO_DUE, sessions: 1, withoutCopy: 0 } })).toEqual([
      "good: Everything works. No session is hidden by its agent, and 1 session will be deleted within 5 days; the guard has a copy of each.",
    ]);
  });

  test("counts in words for one and for many", () => {
    expect(saidOf({ hiddenCount: 1_204 })).toEqual([
      "warn: 1,204 sessions are hidden from their agents' own lists.",
    ]);
    const lost = { ...RUN, runner: "nobody" } as const;
    expect(said({ running: [lost, lost] })).toEqual(["bad: 2 turns lost their process."]);
    expect(goWithin({ ...NO_DUE, sessions: 9, withoutCopy: 4 })).toBe(
      "9 sessions will be deleted within 5 days, 4 of them without a copy",
    );
    expect(goWithin({ ...NO_DUE, sessions: 1, withoutCopy: 1, days: 1 })).toBe(
      "1 session will be deleted within 1 day, without a copy",
    );
  });

  test("a part that is not known is reported, and nothing claims that everything works", () => {
    const notice = "Hidden sessions are not known: permission denied.";
    expect(saidOf({ notices: [notice] })).toEqual([`warn: ${notice}`]);
  });
});

test("lines of hidden sessions keep their places, and the line of a session that came back stays until it is hidden again", () => {
  const row = (location: string, title: string | null = null): HiddenRow => ({
    key: `claude:${location}`,
    agent: "claude",
    location,
    title,
    means: "It is hidden.",
    bringsBack: "A title.",
    changes: "One line more.",
    detail: null,
    canBeDone: true,
    command: null,
  });
  const back = { steps: ["a title"], changes: "One line more.", trashId: "t", key: "claude:b" };
  const before: readonly HiddenLine[] = [
    { row: row("a"), back: null },
    { row: row("b"), back },
    { row: row("c"), back: null },
  ];
  expect(mergeLines(before, [row("d"), row("c", "new")])).toEqual([
    { row: row("b"), back },
    { row: row("c", "new"), back: null },
    { row: row("d"), back: null },
  ]);
  expect(mergeLines(before, [row("b"), row("a")])).toEqual([
    { row: row("a"), back: null },
    { row: row("b"), back: null },
  ]);
});
