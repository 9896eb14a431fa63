/** Times as people name them in a question: `yesterday`, `two weeks ago`, `in March`, `on 3 May`. Pure. */

export interface NamedTime {
  /** The words of the query that name it: from index `start` to before index `end`. */
  readonly start: number;
  readonly end: number;
  /** Milliseconds since 1970; days begin at midnight of local time. `to` is not included. */
  readonly from: number;
  readonly to: number;
  /** The number of milliseconds by which the true time may be earlier or later: `two weeks ago` is not exact. */
  readonly aroundMs: number;
}

const DAY_MS = 86_400_000;
const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
const DAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  couple: 2,
  three: 3,
  few: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
};
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 };

/** The first time that the words name; `null` if they name none. @param words in lower case */
export function namedTime(words: readonly string[], nowMs: number): NamedTime | null {
  for (let at = 0; at < words.length; at++) {
    const found = ago(words, at, nowMs) ?? relative(words, at, nowMs) ?? calendar(words, at, nowMs);
    if (found !== null) return found;
  }
  return null;
}

function ago(words: readonly string[], at: number, nowMs: number): NamedTime | null {
  const text = words[at] ?? "";
  const count = /^\d{1,3}$/u.test(text) ? Number(text) : NUMBERS[text];
  if (count === undefined) return null;
  const next = words[at + 1] === "of" ? at + 2 : at + 1;
  const unit = UNIT_DAYS[(words[next] ?? "").replace(/s$/u, "")];
  if (unit === undefined || words[next + 1] !== "ago") return null;
  const day = dayBefore(nowMs, count * unit);
  return {
    start: at,
    end: next + 2,
    ...dayOf(day),
    aroundMs: unit === 1 ? 0 : (unit * DAY_MS) / 2,
  };
}

function relative(words: readonly string[], at: number, nowMs: number): NamedTime | null {
  const [word, next = ""] = [words[at], words[at + 1]];
  const one = (end: number, range: { readonly from: number; readonly to: number }): NamedTime => ({
    start: at,
    end,
    ...range,
    aroundMs: 0,
  });
  if (word === "today") return one(at + 1, dayOf(dayBefore(nowMs, 0)));
  if (word === "yesterday") return one(at + 1, dayOf(dayBefore(nowMs, 1)));
  if (word !== "last" && word !== "this" && word !== "past") return null;
  const now = new Date(nowMs);
  const weekday = DAYS.indexOf(next);
  if (weekday !== -1) {
    const back = (now.getDay() - weekday + 7) % 7 || 7;
    return one(at + 2, dayOf(dayBefore(nowMs, back)));
  }
  if (next === "week") {
    const monday = dayBefore(nowMs, ((now.getDay() + 6) % 7) + (word === "last" ? 7 : 0));
    return one(at + 2, { from: monday.getTime(), to: addDays(monday, 7).getTime() });
  }
  if (next === "month") {
    const month = now.getMonth() - (word === "last" ? 1 : 0);
    return one(at + 2, monthOf(now.getFullYear(), month));
  }
  // In "this may be", `may` is not a month.
  const month = word === "last" ? MONTHS.indexOf(next) : -1;
  return month === -1 ? null : one(at + 2, lastMonth(month, now));
}

function calendar(words: readonly string[], at: number, nowMs: number): NamedTime | null {
  const month = MONTHS.indexOf(words[at] ?? "");
  if (month === -1) return null;
  const now = new Date(nowMs);
  const [before, after] = [dayNumber(words[at - 1]), dayNumber(words[at + 1])];
  const day = before ?? after;
  if (day !== null) {
    const year = new Date(now.getFullYear(), month, day) > now ? now.getFullYear() - 1 : now.getFullYear();
    const [start, end] = before === null ? [at, at + 2] : [at - 1, at + 1];
    return { start, end, ...dayOf(new Date(year, month, day)), aroundMs: 0 };
  }
  // `may` and `march` also have other meanings.
  if (words[at - 1] !== "in" && words[at - 1] !== "since" && words[at - 1] !== "during") return null;
  return { start: at, end: at + 1, ...lastMonth(month, now), aroundMs: 0 };
}

function dayNumber(word: string | undefined): number | null {
  const match = /^(\d{1,2})(?:st|nd|rd|th)?$/u.exec(word ?? "");
  const day = Number(match?.[1]);
  return day >= 1 && day <= 31 ? day : null;
}

/** The newest month of this name that has begun. */
function lastMonth(month: number, now: Date): { readonly from: number; readonly to: number } {
  return monthOf(month > now.getMonth() ? now.getFullYear() - 1 : now.getFullYear(), month);
}

function monthOf(year: number, month: number): { readonly from: number; readonly to: number } {
  return { from: new Date(year, month, 1).getTime(), to: new Date(year, month + 1, 1).getTime() };
}

function dayBefore(nowMs: number, days: number): Date {
  const now = new Date(nowMs);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
}

function addDays(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}

function dayOf(day: Date): { readonly from: number; readonly to: number } {
  return { from: day.getTime(), to: addDays(day, 1).getTime() };
}
