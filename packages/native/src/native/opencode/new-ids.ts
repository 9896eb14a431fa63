/**
 * Ids as opencode makes them (1.18.33): a prefix, twelve hexadecimal digits of time and a counter, fourteen
 * letters and digits. Those of messages and parts grow, those of sessions fall. Pure.
 */

import type { Makers } from "../writing/index.ts";

/** @param count of ids with this time before it, at most 4,095. */
export function toNewId(prefix: string, timeMs: number, count: number, makers: Makers): string {
  return `${prefix}_${digitsOf(stampOf(timeMs, count))}${tailOf(makers)}`;
}

/** Gives each record another id so that the order stays the same. Ids that opencode made keep their times. */
export function toOtherIds(ids: readonly string[], startMs: number, makers: Makers): Map<string, string> {
  const next = growingIds(startMs, makers);
  const areMade = ids.every((id) => MADE.test(id));
  return new Map(
    ids.map((id) => [
      id,
      areMade ? id.slice(0, -TAIL_LETTERS) + tailOf(makers) : next(id.replace(/_.*/su, "")),
    ]),
  );
}

/** Ids that grow in the order of their creation. */
export function growingIds(startMs: number, makers: Makers): (prefix: string) => string {
  let made = 0;
  return (prefix) => {
    const at = made++;
    return toNewId(prefix, startMs + Math.floor(at / IDS_A_MS), (at % IDS_A_MS) + 1, makers);
  };
}

export function toNewSessionId(makers: Makers): string {
  return `ses_${digitsOf(BITS - stampOf(makers.now(), 1))}${tailOf(makers)}`;
}

const BITS = (1n << 48n) - 1n;
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TAIL_LETTERS = 14;
/** An imported record may have any other id. */
const MADE = /^[a-z]+_[0-9a-f]{12}[0-9A-Za-z]{14}$/u;
/** The number of ids that fit one millisecond. */
const IDS_A_MS = 4000;

function stampOf(timeMs: number, count: number): bigint {
  return (BigInt(Math.floor(timeMs)) * 4096n + BigInt(count)) & BITS;
}

function digitsOf(stamp: bigint): string {
  return stamp.toString(16).padStart(12, "0");
}

function tailOf(makers: Makers): string {
  const bytes = makers.hex(TAIL_LETTERS * 2).match(/../gu) ?? [];
  return bytes.map((byte) => LETTERS[Number.parseInt(byte, 16) % LETTERS.length]).join("");
}
