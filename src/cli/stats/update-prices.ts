/** `stats --update-prices`: replaces the list of prices with one from a file or a URL. */

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { savePriceList } from "@continuo/agents/catalog";
import { ContinuoError, messageOf } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { createOutput, formatCount, type Shell } from "../terminal/index.ts";

/** The largest size of a list; LiteLLM's table has about 2 MB. */
const MAX_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const DAY_CHARS = "2026-01-31".length;

/**
 * Errors: `usage` for an address that is not safe; `not_found`, `unavailable` or `too_large` if the list cannot be
 * read; `invalid` if it has another format.
 */
export async function runUpdatePrices(from: string, shell: Shell): Promise<number> {
  const { table, at } = /^https?:/iu.test(from) ? await download(from, shell) : read(from, shell);
  const asOf = at.toISOString().slice(0, DAY_CHARS);
  const { models } = savePriceList(placesOf(shell), { table, asOf, source: from });
  const text = `${formatCount(models)} models with prices of ${asOf}, from ${from}`;
  await createOutput(shell.stdout).write(`${visibleLine(text)}\n`);
  return 0;
}

interface Table {
  readonly table: string;
  /** The date of the prices. */
  readonly at: Date;
}

function read(name: string, { cwd }: Shell): Table {
  const path = resolve(cwd, name);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) throw new ContinuoError("not_found", `there is no file ${path}`);
  if (stat.size > MAX_BYTES) throw tooLarge(path);
  return { table: readFileSync(path, "utf8"), at: stat.mtime };
}

async function download(address: string, { now }: Shell): Promise<Table> {
  try {
    const response = await request(address, AbortSignal.timeout(TIMEOUT_MS));
    if (!response.ok)
      throw new ContinuoError("unavailable", `cannot take prices from ${address}: ${response.status}`);
    const told = Date.parse(response.headers.get("last-modified") ?? "");
    return { table: await textOf(response, address), at: Number.isNaN(told) ? now : new Date(told) };
  } catch (error) {
    if (error instanceof ContinuoError) throw error;
    const { cause } = error as { cause?: unknown };
    const why = cause instanceof Error ? cause.message : messageOf(error);
    throw new ContinuoError("unavailable", `cannot take prices from ${address}: ${why}`, { cause: error });
  }
}

/**
 * Follows redirects itself, to check each address: `fetch` would also follow a redirect to an address that is not safe.
 */
async function request(address: string, signal: AbortSignal): Promise<Response> {
  let url = toSafeUrl(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url, { signal, redirect: "manual" });
    const next = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || next === null) return response;
    await response.body?.cancel();
    url = toSafeUrl(next, url);
  }
  throw new ContinuoError("unavailable", `cannot take prices from ${address}: it redirects too often`);
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Only `https:` is safe, except on this machine, so that nobody in the network can change the prices. Errors: `usage`.
 */
function toSafeUrl(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) {
    throw new ContinuoError("usage", `cannot take prices from ${address}: it is not an address`);
  }
  const url = new URL(address, base);
  const isOfThisMachine = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol === "https:" || (url.protocol === "http:" && isOfThisMachine)) return url;
  throw new ContinuoError("usage", `cannot take prices from ${address}: the address is not https`);
}

async function textOf(response: Response, address: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw tooLarge(address);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLarge(from: string): ContinuoError {
  return new ContinuoError("too_large", `cannot take prices from ${from}: it has more than 32 MB`);
}
