/**
 * The shape of a JSON text before it is parsed: the number of its values, its depth, and the places of the elements of
 * its outer array. `JSON.parse` allocates memory for each value: a few megabytes of `[1,1,…]` would take gigabytes
 * before the text could be refused.
 */

import { ContinuoError } from "@continuo/core/model";
import { LIMITS } from "../context/index.ts";

export interface JsonLimits {
  /** Values and keys, counted by the characters that separate them. */
  readonly values: number;
  readonly depth: number;
  /** Elements of the outer array. */
  readonly elements: number;
}

const JSON_LIMITS: JsonLimits = {
  values: LIMITS.jsonValues,
  depth: LIMITS.jsonDepth,
  elements: LIMITS.jsonElements,
};

/** The beginning and the end of each element of the outer array, in pairs; any other text is one element. */
export type ElementPlaces = readonly number[];

/** Examines the whole text without a pause. Use it for texts that the frame limit bounds. Errors: `too_large`. */
export function assertJsonShape(bytes: Uint8Array, limits: JsonLimits = JSON_LIMITS): void {
  if (bytes.length <= limits.depth) return;
  const scan = scanJson(bytes, limits);
  while (scan.next().done !== true);
}

/**
 * Reads the bytes once, and yields after each piece. The grammar is not checked: if `JSON.parse` accepts a text,
 * its counts are correct, and the places are those of its elements. Errors: `too_large`.
 */
export function* scanJson(
  bytes: Uint8Array,
  limits: JsonLimits = JSON_LIMITS,
): Generator<void, ElementPlaces, void> {
  const first = firstOf(bytes);
  const isArray = bytes[first] === OPEN_ARRAY;
  const places: number[] = [];
  let [values, depth, from, pause] = [1, 0, first + 1, PIECE_BYTES];
  let close = -1;
  for (let at = first; at < bytes.length; at++) {
    if (at >= pause) {
      yield;
      pause = at + PIECE_BYTES;
    }
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > limits.depth) throw tooLarge("depth", limits.depth);
        if (++values > limits.values) throw tooLarge("values", limits.values);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        if (--depth === 0 && close === -1) close = at;
        break;
      case COMMA:
        if (++values > limits.values) throw tooLarge("values", limits.values);
        if (depth !== 1 || !isArray) break;
        places.push(...trimmed(bytes, from, at));
        if (places.length >= 2 * limits.elements) throw tooLarge("elements", limits.elements);
        from = at + 1;
        break;
      case COLON:
        if (++values > limits.values) throw tooLarge("values", limits.values);
        break;
    }
  }
  const whole = trimmed(bytes, first, bytes.length);
  if (!isArray || bytes[close] !== CLOSE_ARRAY || close + 1 !== whole[1]) return whole;
  const [start, end] = trimmed(bytes, from, close);
  // If nothing is between the brackets, the array is empty. If nothing follows a comma, the parser finds the mistake.
  if (start < end || places.length > 0) places.push(start, end);
  return places;
}

const PIECE_BYTES = 262_144;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The position after the byte order mark, which decoders remove, and white space. */
function firstOf(bytes: Uint8Array): number {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let at = hasMark ? 3 : 0;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** The place of the quote that ends the string; the end of the text if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let first = at;
    while (bytes[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return bytes.length;
}

function trimmed(bytes: Uint8Array, from: number, to: number): readonly [from: number, to: number] {
  let [start, end] = [from, to];
  while (start < end && isSpace(bytes[start])) start++;
  while (end > start && isSpace(bytes[end - 1])) end--;
  return [start, end];
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

const MESSAGES = {
  values: "the JSON has more values and keys than one request may have",
  depth: "the JSON is nested too deeply",
  elements: "the array has more elements than one request may have",
} as const;

function tooLarge(what: keyof typeof MESSAGES, limit: number): ContinuoError {
  return new ContinuoError("too_large", MESSAGES[what], {
    hint: what === "depth" ? "Store the value as a blob and refer to it." : "Send it in several requests.",
    details: { what, limit },
  });
}
