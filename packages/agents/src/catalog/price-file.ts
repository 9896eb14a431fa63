/**
 * The list of prices that a person saved from another source, in `prices.json` of `CONTINUO_HOME`. It is used while it
 * is newer than the list that comes with Continuo.
 *
 * The format that is read is that of LiteLLM's `model_prices_and_context_window.json` (2026-09): an object by the name
 * of the model, with `input_cost_per_token` and similar keys in USD for one token.
 */

import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { continuoHome, isJson, type Json, type Places, readJsonFile, writeDurably } from "@continuo/files";
import { type PriceList, parsePriceLines, shippedPrices } from "./prices.ts";

/** The greatest accepted table has 32 MB, and the lines made from it are shorter. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The list of `prices.json` if it is newer, otherwise the one that comes with Continuo. */
export function readPriceList(places: Places): PriceList {
  const shipped = shippedPrices();
  const kept = readJsonFile(pathOf(places), { maxBytes: MAX_BYTES });
  if (kept === null) return shipped;
  const { asOf, source, lines } = kept;
  if (typeof asOf !== "string" || typeof source !== "string" || typeof lines !== "string") return shipped;
  return asOf <= shipped.asOf ? shipped : { asOf, source, prices: parsePriceLines(lines) };
}

export interface SavedPrices {
  readonly asOf: string;
  readonly models: number;
}

/** @param table the table of LiteLLM as JSON text. Errors: `invalid` for another format. */
export function savePriceList(
  places: Places,
  { table, asOf, source }: { readonly table: string } & Pick<PriceList, "asOf" | "source">,
): SavedPrices {
  const lines = toPriceLines(parseTable(table, source));
  if (lines.length === 0) throw notATable(source);
  writeDurably(pathOf(places), `${JSON.stringify({ asOf, source, lines: lines.join("\n") })}\n`);
  return { asOf, models: lines.length };
}

function pathOf(places: Places): string {
  return join(continuoHome(places), "prices.json");
}

function parseTable(table: string, source: string): Json {
  try {
    const parsed: unknown = JSON.parse(table);
    if (isJson(parsed)) return parsed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw notATable(source);
}

function notATable(source: string): ContinuoError {
  return new ContinuoError("invalid", `cannot take prices from ${source}: it is not a table of LiteLLM`, {
    hint: "Give a copy of model_prices_and_context_window.json of LiteLLM, or its address.",
  });
}

/**
 * Returns lines in the form of `PRICE_LINES`. Leaves out models without a price of input and output, and names that
 * cannot be in a line.
 */
function toPriceLines(table: Json): readonly string[] {
  return Object.entries(table).flatMap(([name, model]) => {
    if (!isJson(model) || /^$|[\s|]/u.test(name)) return [];
    const [input, output, ...cache] = KEYS.map((key) => forMillion(model[key]));
    if (input === null || input === undefined || output === null || output === undefined) return [];
    const amounts = [input, output, ...cache.map((amount) => amount ?? "-")].join(" ");
    return [`${name.toLowerCase()} | ${amounts.replace(/(?: -)+$/u, "")}`];
  });
}

const KEYS = [
  "input_cost_per_token",
  "output_cost_per_token",
  "cache_read_input_token_cost",
  "cache_creation_input_token_cost",
  "cache_creation_input_token_cost_above_1hr",
] as const;

/** Multiplies without the rounding error of fractions: `0.000003` for one token is `3` for a million. */
function forMillion(perToken: unknown): number | null {
  const amount = typeof perToken === "number" ? perToken * 1_000_000 : Number.NaN;
  return Number.isFinite(amount) && amount >= 0 ? Number(amount.toPrecision(12)) : null;
}
