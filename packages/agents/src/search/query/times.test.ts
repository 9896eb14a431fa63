import { expect, test } from "vitest";
import { namedTime } from "./times.ts";

/** A Friday. */
const NOW = new Date(2026, 4, 15, 12).getTime();

function dayOf(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}

test("a time that a question names is found with the days that it stands for", () => {
  const named = (text: string): string | null => {
    const time = namedTime(text.split(" "), NOW);
    return time === null ? null : `${dayOf(time.from)} ${dayOf(time.to)}`;
  };
  expect({
    today: named("what broke today"),
    yesterday: named("what broke yesterday"),
    days: named("decided 3 days ago"),
    weeks: named("decided two weeks ago"),
    weekday: named("last tuesday"),
    sameWeekday: named("last friday"),
    week: named("last week"),
    month: named("last month"),
    inMonth: named("in march"),
    later: named("in november"),
    date: named("on 3 may"),
    american: named("on may 3rd"),
    laterDate: named("on 20 may"),
  }).toEqual({
    today: "2026-5-15 2026-5-16",
    yesterday: "2026-5-14 2026-5-15",
    days: "2026-5-12 2026-5-13",
    weeks: "2026-5-1 2026-5-2",
    weekday: "2026-5-12 2026-5-13",
    sameWeekday: "2026-5-8 2026-5-9",
    week: "2026-5-4 2026-5-11",
    month: "2026-4-1 2026-5-1",
    inMonth: "2026-3-1 2026-4-1",
    later: "2025-11-1 2025-12-1",
    date: "2026-5-3 2026-5-4",
    american: "2026-5-3 2026-5-4",
    laterDate: "2025-5-20 2025-5-21",
  });
});

test("words that only look like a time are words", () => {
  for (const text of ["this may fail", "march on", "a week", "3 days", "last commit", "ago"]) {
    expect(namedTime(text.split(" "), NOW), text).toBeNull();
  }
});
