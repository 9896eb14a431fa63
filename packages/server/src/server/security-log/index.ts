/**
 * Security events as lines of JSON: which caller was accepted or refused, when, and from where.
 *
 * Promises: no secret is written; values that others send cannot forge a line; a stranger cannot fill a disk: in each
 * minute, at most 10 lines of one kind from one network are written, and at most 300 lines in total; the other events
 * are counted, in at most 110 further lines.
 * Does not know: where the lines are written, and how files are rotated.
 */

import type { SecurityEvent, SecurityLog } from "../context/index.ts";
import { networkOf } from "../sockets/index.ts";
import { LIMITS } from "./limits.ts";

export { type FollowAudit, watchAudit } from "./audit-watch.ts";
export { createFailureLog } from "./failures.ts";
export { recordingLogins, recordRefusal } from "./record-refusals.ts";

interface SecurityLogOptions {
  /** Takes a line, without a line break. */
  readonly write: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Counter {
  readonly event: string;
  /** `null` for the networks that are counted together. */
  readonly network: string | null;
  lines: number;
  suppressed: number;
}

export interface OpenSecurityLog extends SecurityLog {
  /** Writes what was counted. */
  close(): void;
}

export function createSecurityLog({ write, now = Date.now }: SecurityLogOptions): OpenSecurityLog {
  const counters = new Map<string, Counter>();
  let lines = 0;
  const emit = (fields: Readonly<Record<string, unknown>>): void => {
    write(lineOf({ time: new Date(now()).toISOString(), ...fields }));
  };
  const counterOf = (event: string, network: string): Counter => {
    const key = `${event} ${network}`;
    const isShared = !counters.has(key) && counters.size >= LIMITS.counters;
    const place = isShared ? event : key;
    let counter = counters.get(place);
    if (counter === undefined) {
      counter = { event, network: isShared ? null : network, lines: 0, suppressed: 0 };
      counters.set(place, counter);
    }
    return counter;
  };
  const flush = (): void => {
    for (const { event, network, suppressed } of counters.values()) {
      if (suppressed > 0) emit({ event, network, suppressed });
    }
    counters.clear();
    lines = 0;
  };
  const windows = setInterval(flush, LIMITS.windowMs).unref();
  return {
    record: (event, { address, ...facts }) => {
      const counter = counterOf(event, networkOf(address));
      if (counter.lines >= LIMITS.linesOfNetwork || lines >= LIMITS.lines) {
        counter.suppressed++;
        return;
      }
      counter.lines++;
      lines++;
      emit({ event, address, ...shortened(facts) });
    },
    close: () => {
      clearInterval(windows);
      flush();
    },
  };
}

/**
 * JSON escapes line ends; characters that only some programs treat as line ends, or that control a terminal, are
 * escaped as well.
 */
function lineOf(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}${lowOf(sign)}`,
  );
}

/** Returns the escaped second half of a surrogate pair; empty for a character without one. */
function lowOf(sign: string): string {
  return sign.length === 1 ? "" : `\\u${sign.charCodeAt(1).toString(16)}`;
}

function shortened({ reason, ...facts }: Omit<SecurityEvent, "address">): object {
  return reason === undefined ? facts : { ...facts, reason: reason.slice(0, LIMITS.textLength) };
}
