/**
 * A process that runs a session: it wakes the session, tries unanswered input again, then sends its own inputs, until
 * all are answered. It prints its progress, and may be killed at any moment.
 *
 * Arguments: URL SESSION NAME INPUTS FOLDER native|none, and where it is to be killed, if anywhere
 */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isContinuoError, textOf } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { executeRun, startRun, wake } from "@continuo/store/sessions";
import {
  nativeSessionsInFolder,
  type Script,
  ScriptedAgent,
} from "../../../packages/store/src/testing/index.ts";

const [url = "", sessionId = "", name = "", inputs = "0", folder = "", kind = "none", killedAt] =
  process.argv.slice(2);
/** The time is long enough for a busy machine; other runs wait so long for a run that was started and not executed. */
const leaseMs = 600;

await using store = await openStore(url);
const nativeSessions = nativeSessionsInFolder(join(folder, "native"));
const agent = new ScriptedAgent({
  nativeSessions,
  ...(kind === "native" ? { native: "real" as const } : {}),
  turns: ({ input }): Script => [
    { stream: [`thinking of `, input], messageId: "thought" },
    { hook: "streamed" },
    { call: "look", id: `call-${input}` },
    { hook: "called" },
    { event: { type: "tool_result", toolCallId: `call-${input}`, content: "seen", status: "ok" } },
    { say: `answer to ${input}` },
    { hook: "said" },
  ],
  hooks: {
    streamed: () => step("streamed"),
    called: () => step("called"),
    said: () => step("said"),
  },
  onGiven: ({ runId, input, transcript, nativeRef }) => {
    const known = nativeRef === null ? [] : nativeSessions.read(nativeRef.sessionId);
    const given = { runId, input, transcript: transcript ?? [], known, native: nativeRef !== null };
    appendFileSync(join(folder, "given.jsonl"), `${JSON.stringify(given)}\n`);
    print("given");
  },
});

/** The test may kill this process here, and has time to do so. */
async function step(line: string): Promise<void> {
  print(line);
  await sleep(line === killedAt ? 60_000 : 5);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns false if there is nothing to do at the moment. */
async function work(): Promise<boolean> {
  const { unprocessed } = await wake(store, sessionId, { leaseMs });
  const [offered] = unprocessed;
  if (offered !== undefined) {
    await run(textOf(offered.input), offered.runId);
    return true;
  }
  const { items } = await store.listRuns({ sessionId, limit: 1_000 });
  const own = items.filter(({ metadata }) => metadata.by === name).length;
  if (own < Number(inputs)) {
    await run(`${name}-${own}`, undefined);
    return true;
  }
  if (items.every(({ endedAt }) => endedAt !== null)) return false;
  await sleep(20);
  return true;
}

async function run(input: string, retryOf: string | undefined): Promise<void> {
  const options = retryOf === undefined ? { metadata: { by: name } } : { retryOf };
  const { runId } = await startRun(store, sessionId, input, options);
  await step("started");
  await executeRun(store, agent, runId, { continuation: "auto", leaseMs });
  await step("ended");
}

print("ready");
for (let going = true; going; ) {
  try {
    going = await work();
  } catch (error) {
    // Another process has the input or the session by now, and continues it.
    const isLost = ["conflict", "fenced", "invalid_transition"].some(
      (code) => isContinuoError(error) && error.code === code,
    );
    if (!isLost) throw error;
  }
}
print("done");
