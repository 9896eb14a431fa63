/**
 * Asks each server for `/healthz`: `node prober.ts URL…`. It is a separate process, so that only the server can be
 * late. It prints a line of JSON for each answer, and how late its own timer was.
 */

import { request } from "node:http";
import { createInterface } from "node:readline";

export interface ProbeReport {
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly ms: number;
  readonly isAnswered: boolean;
  /** The delay of the prober's own timer, which the machine adds. */
  readonly lateMs: number;
}

const PROBE_EVERY_MS = 250;
const TIMEOUT_MS = 30_000;

if (import.meta.main) {
  createInterface({ input: process.stdin }).on("close", () => process.exit());
  for (const url of process.argv.slice(2)) {
    let due = performance.now();
    const next = (): void => {
      const lateMs = performance.now() - due;
      probe(url, lateMs);
      due = performance.now() + PROBE_EVERY_MS;
      setTimeout(next, PROBE_EVERY_MS);
    };
    next();
  }
}

function probe(url: string, lateMs: number): void {
  const at = Date.now();
  const begin = performance.now();
  const tell = (isAnswered: boolean): void => {
    const news: ProbeReport = { url, at, ms: performance.now() - begin, isAnswered, lateMs };
    process.stdout.write(`${JSON.stringify(news)}\n`);
  };
  const asked = request(`${url}/healthz`, { agent: false, timeout: TIMEOUT_MS }, (response) => {
    response.resume().on("end", () => tell(response.statusCode === 200));
  });
  asked.on("timeout", () => asked.destroy()).on("error", () => tell(false));
  asked.end();
}
