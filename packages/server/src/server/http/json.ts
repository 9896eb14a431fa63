/**
 * Parses JSON bodies. The shape of a body is checked before anything is parsed. The check, and the parsing of the
 * elements of an array, are done in pieces, so that other work can run in between.
 */

import { setImmediate as othersTurn } from "node:timers/promises";
import { notJson } from "@continuo/core/wire";
import { type ElementPlaces, scanJson } from "./json-shape.ts";

/** Errors: `invalid`, `too_large`. */
export async function parseJson(body: Uint8Array): Promise<unknown> {
  await placesOf(body);
  return parsed(body, DECODER);
}

/**
 * Calls `to` for each element of the outer array; a body that is not an array is one element. `bytes` has the element
 * as it was sent; it is a view of the body, not a copy. Errors: `invalid`, `too_large`, and those of `to`.
 */
export async function mapElements<T>(
  body: Uint8Array,
  to: (element: { readonly value: unknown; readonly bytes: Uint8Array }, index: number) => T,
): Promise<readonly T[]> {
  const places = await placesOf(body);
  const elements: T[] = [];
  let until = performance.now() + TURN_MS;
  for (let n = 0; n < places.length; n += 2) {
    const bytes = body.subarray(places[n], places[n + 1]);
    elements.push(to({ value: parsed(bytes, ELEMENT_DECODER), bytes }, n / 2));
    if (performance.now() < until) continue;
    await othersTurn();
    until = performance.now() + TURN_MS;
  }
  return elements;
}

const TURN_MS = 5;
const DECODER = new TextDecoder("utf-8", { fatal: true });
/** Only the body can begin with a byte order mark. */
const ELEMENT_DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

async function placesOf(body: Uint8Array): Promise<ElementPlaces> {
  const scan = scanJson(body);
  for (;;) {
    const step = scan.next();
    if (step.done === true) return step.value;
    await othersTurn();
  }
}

function parsed(bytes: Uint8Array, decoder: typeof DECODER): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw notJson(cause);
  }
}
