/** `node take-turns.ts HOME SESSION`: a process that imports the turns of an agent's own program. */

import { join } from "node:path";
import { takeNativeTurns } from "@continuo/agents/conversations";
import { openStore } from "@continuo/store";

const [home = "", sessionId = ""] = process.argv.slice(2);
const places = { home, cwd: home, env: { HOME: home, PATH: process.env.PATH }, now: new Date() };
await using store = await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
await takeNativeTurns({ store, sessionId, places, isPatient: true });
