/** A process that starts a run, prints its own identity as one line of JSON, and never executes the run. */

import { openStore } from "@continuo/store";
import { startRun, startSession } from "@continuo/store/sessions";

await using store = await openStore("memory:");
const { sessionId } = await startSession(store);
await startRun(store, sessionId, "go");
const { events } = await store.read(sessionId, { types: ["run_created"] });
process.stdout.write(`${JSON.stringify({ actor: events[0]?.actor })}\n`);
process.stdin.resume();
