/**
 * A server with continuous sessions, to be killed: `STORE PORT NAME LOG`; it ends with the process that started it, at
 * the end of its input. Its note writer looks at the beginning of the medium when somebody mentions it, and writes its
 * input to the log.
 */

import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { EvidenceItem, NoteWriter } from "@continuo/live";
import { allowEverybody, createServer, listen } from "@continuo/server";
import { openStore } from "@continuo/store";
import { hearing } from "./hearing.ts";

const [url = "", port = "0", name = "", log = ""] = process.argv.slice(2);

const writer: NoteWriter = {
  name: "recorder",
  write: async ({ batchId, evidence, context, memory }) => {
    const looksBack = evidence.some(({ text }) => text.includes("as at the beginning"));
    const earlier: EvidenceItem[] = [];
    if (looksBack) for await (const item of context(0)) earlier.push(item);
    const given = {
      batch: evidence.map(({ text }) => text),
      context: earlier.map(({ text }) => text),
      memory,
    };
    // It takes long enough that the server can be killed in the middle of it.
    await pause(400);
    appendFileSync(log, `${JSON.stringify(given)}\n`);
    const spoken = evidence.filter(({ text }) => text !== "");
    const draft = {
      draftId: `${batchId}/1`,
      text: spoken.map(({ text }) => text).join(" "),
      // Evidence of several pages, and of later speech, does not arrive in the order of the medium.
      startMs: spoken.length === 0 ? 0 : Math.min(...spoken.map(({ startMs }) => startMs)),
      endMs: Math.max(0, ...spoken.map(({ endMs }) => endMs)),
      confidence: 0.9,
      evidence: [...spoken, ...earlier].map(({ id }) => id),
    };
    const seen = (memory as { readonly seen?: number } | null)?.seen ?? 0;
    return { drafts: spoken.length === 0 ? [] : [draft], memory: { seen: seen + spoken.length } };
  },
};

process.stdin.resume().once("end", () => process.exit());

const store = await openStore(url);
const server = createServer({
  store: (workspaceId) => store.forWorkspace(workspaceId),
  authenticate: allowEverybody(store.workspaceId),
  live: {
    workspaceIds: [store.workspaceId],
    noteWriters: [writer],
    serverName: name,
    transcriber: hearing(),
  },
  report: (line) => process.stderr.write(`${line}\n`),
});
const listening = await listen(server, { host: "127.0.0.1", port: Number(port) });
process.stdout.write(`${listening.url}\n`);
// An aborted test can no longer kill this process, so it ends with its input.
process.stdin.on("end", () => process.exit()).resume();
