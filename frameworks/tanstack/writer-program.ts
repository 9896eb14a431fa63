/**
 * `node writer-program.ts STORE RUN COUNT`: a producer that its test kills. It reads what the killed process stored,
 * writes the last chunk of it a second time, and writes the rest.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { StreamChunk } from "@tanstack/ai";
import { openStore } from "../../packages/store/src/store/index.ts";
import { continuoStream } from "../../packages/tanstack/src/index.ts";

const [url = "", runId = "", count = ""] = process.argv.slice(2);
await using store = await openStore(url);
const stream = continuoStream(store, { runId });
const chunk = (at: number): StreamChunk =>
  ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: `word ${at} ` }) as unknown as StreamChunk;

const stored = await stream.snapshot();
const last = stored.at(-1);
if (last !== undefined) await stream.upsert([{ offset: last.offset, chunk: chunk(stored.length - 1) }]);
process.stdout.write("open\n");
for (let at = stored.length; at < Number(count); at += 3) {
  const batch = Array.from({ length: Math.min(3, Number(count) - at) }, (_, place) => chunk(at + place));
  await stream.append(batch);
  await pause(5);
}
await stream.close();
