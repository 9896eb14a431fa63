/** `asking-coder.ts STORE FOLDER`: a worker with a coding agent that asks a person, with its own sessions in the folder. */

import { openContinuo } from "@continuo/server/runtime";
import { nativeSessionsInFolder, ScriptedAgent } from "../../../packages/store/src/testing/index.ts";

const [url = "", folder = ""] = process.argv.slice(2);
const coder = new ScriptedAgent({
  name: "coder",
  native: "real",
  nativeSessions: nativeSessionsInFolder(folder),
  turns: () => [{ call: "Bash", id: "t1", ask: true, result: "built" }, { say: "It is built." }],
});
await openContinuo(url, { agents: [coder], recover: "retry", pollMs: 20 });
