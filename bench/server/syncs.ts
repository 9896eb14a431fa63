/** Checks that each append is synced to the disk before it is answered, as strace sees both servers. */

import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { type RunningServer, startContinuo, startReference } from "./servers.ts";

const APPENDS = 20;
const BODY = JSON.stringify({ name: "bench", value: "x".repeat(480) });

export async function showSyncs(folder: string): Promise<void> {
  console.log(`\n${APPENDS} appends one after the other, under strace: synced between request and answer`);
  for (const [start, name] of [
    [startContinuo, "continuo"],
    [startReference, "reference"],
  ] as const) {
    const trace = join(folder, `${name}.trace`);
    const tracer = ["strace", "-f", "-qq", "-ttt", "-e", "trace=fsync,fdatasync", "-o", trace];
    const server = await start(folder, `syncs-${name}`, tracer);
    const spans = await appendAll(server);
    await server.stop();
    const syncs = readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => line.includes("sync("))
      .map((line) => Number(/(\d+\.\d+)/u.exec(line)?.[1]) * 1_000);
    const synced = spans.filter(([from, to]) => syncs.some((at) => at >= from && at <= to)).length;
    console.log(`  ${server.name.padEnd(44)} ${synced} of ${APPENDS}`);
    if (synced < APPENDS) throw new Error(`${server.name} answered an append before it was synced`);
  }
}

async function appendAll({ url }: RunningServer): Promise<readonly (readonly [number, number])[]> {
  const stream = `${url}/v1/stream/synced`;
  await send(stream, "PUT", "");
  const spans: [number, number][] = [];
  for (let n = 0; n < APPENDS; n++) {
    const from = Date.now();
    await send(stream, "POST", BODY);
    spans.push([from, Date.now()]);
    // Times are in whole milliseconds, and no two appends have the same.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return spans;
}

function send(url: string, method: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const outgoing = request(url, { method, headers }, (response) => {
      response.resume().on("end", () => resolve());
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
