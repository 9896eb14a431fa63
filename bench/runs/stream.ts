/** A run, in a separate process, whose agent streams this number of megabytes. Arguments: FOLDER MEGABYTES */

import { join } from "node:path";
import { openStore } from "@continuo/store";
import { runOnce } from "@continuo/store/sessions";
import { ScriptedAgent } from "../../packages/store/src/testing/index.ts";

const [folder = "", megabytes = "1"] = process.argv.slice(2);
/** Models send parts of this size: a few words at a time. */
const PART = "some words of a long answer ";
const times = Math.ceil((Number(megabytes) * 1_000_000) / PART.length);

await using store = await openStore(`sqlite:${join(folder, `stream-${megabytes}.db`)}`);
const agent = new ScriptedAgent({ turns: [[{ stream: [PART], times }]] });
const { status } = await runOnce(store, agent, "go");
if (status !== "completed") throw new Error(`The run is ${status}.`);
