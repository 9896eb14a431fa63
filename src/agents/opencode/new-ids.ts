/**
 * Ids as opencode makes them (1.18.33): a prefix, twelve hexadecimal digits of time and a counter, fourteen
 * letters and digits. Those of messages and parts grow, those of sessions fall. Pure.
 */

import type { Makers } from "../adapter/index.ts";

/** @param count of ids with this time before it, at most 4,095. */
export function toNewId(prefix: "msg" | "prt", timeMs: number, count: number, makers: Makers): string {
  return `${prefix}_${digitsOf(stampOf(timeMs, count))}${tailOf(makers)}`;
}

/** Another id with the prefix, time and count of `id`. */
export function toSameTimeId(id: string, makers: Makers): string {
  return id.slice(0, -TAIL_LETTERS) + tailOf(makers);
}

export function toNewSessionId(makers: Makers): string {
  return `ses_${digitsOf(BITS - stampOf(makers.now(), 1))}${tailOf(makers)}`;
}

const BITS = (1n << 48n) - 1n;
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TAIL_LETTERS = 14;

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
