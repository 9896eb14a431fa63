/** A message once a day: each process computes the same next time, and the id of the message makes it one message. */

import { ContinuoError } from "@continuo/core/model";

/** The next time of a daily message. */
export interface DailyTime {
  /** The day of that time, as `2026-11-29`. */
  readonly day: string;
  /** ISO 8601, for the option `runAt` of `send`. */
  readonly runAt: string;
}

const LOOK_MS = 60_000;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/u;

/** Returns a function that ends it. Errors: `usage`. */
export function everyDay(
  time: string,
  send: (next: DailyTime) => unknown,
  report: (error: unknown) => void,
): () => void {
  if (!TIME.test(time)) {
    throw new ContinuoError("usage", `everyDay takes a time of the day, not ${JSON.stringify(time)}`, {
      hint: 'Give it in UTC, such as "06:00" or "06:00:30".',
    });
  }
  let sent = "";
  const look = async (): Promise<void> => {
    const next = nextTime(time, new Date());
    if (next.day === sent) return;
    try {
      sent = next.day;
      await send(next);
    } catch (error) {
      sent = "";
      report(error);
    }
  };
  void look();
  const timer = setInterval(() => void look(), LOOK_MS);
  return () => clearInterval(timer);
}

function nextTime(time: string, now: Date): DailyTime {
  const today = new Date(`${now.toISOString().slice(0, 10)}T${time}Z`);
  const at = today > now ? today : new Date(today.getTime() + 86_400_000);
  const runAt = at.toISOString();
  return { day: runAt.slice(0, 10), runAt };
}
