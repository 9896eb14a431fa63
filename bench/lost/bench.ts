/**
 * The diagnosis of hidden sessions in a home with 10,000 sessions, as `continuo doctor sessions` makes it, without
 * results of earlier runs.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findHiddenSessions } from "@continuo/native";
import { sessionPath, talk } from "../../test/lost/claude-recipes.ts";
import { event, header, rolloutName, said, shown, writeThread } from "../../test/lost/codex-recipes.ts";
import { geminiHead, writeGemini } from "../../test/lost/gemini-recipes.ts";
import { writeOpencode } from "../../test/lost/opencode-recipes.ts";
import { piFolder, piHeader, writePi } from "../../test/lost/pi-recipes.ts";
import { type LostHome, makeLostHome, placesOfHome, toLines, writeText } from "../../test/lost/recipe.ts";
import { printRatios } from "../measure/index.ts";

const OF_EACH_AGENT = 2000;
const AGENTS = 5;
const WANTED_SECONDS = 5;
const TURNS = 20;
const PROMPT = "Why does the retry loop never end? ".repeat(8);
const ANSWER = "The counter is reset inside of the loop. ".repeat(20);

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "continuo-bench-lost-"));
  try {
    const home = makeLostHome(scratch);
    for (let at = 0; at < OF_EACH_AGENT; at++) writeOfEach(home, at);
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      const hidden = await Array.fromAsync(findHiddenSessions({ places: placesOfHome(home) }));
      seconds.push((performance.now() - start) / 1000);
      if (hidden.length > 0) throw new Error(`${hidden.length} healthy sessions are said to be hidden`);
    }
    const [median = 0] = seconds.sort((a, b) => a - b).slice(Math.floor(rounds / 2));
    const count = (OF_EACH_AGENT * AGENTS).toLocaleString("en");
    const what = `${count} sessions of five agents diagnosed, in seconds`;
    printRatios([{ what, ratio: median, wanted: "below", target: WANTED_SECONDS }]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** One session of each agent, with twenty turns. */
function writeOfEach(home: LostHome, at: number): void {
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
  const turns = Array.from({ length: TURNS }, () => at);
  const chain = turns.flatMap(() => [
    { role: "user" as const, content: PROMPT },
    { role: "assistant" as const, content: ANSWER },
  ]);
  writeText(sessionPath(home, `${id}.jsonl`), toLines(talk(home, chain, id)));
  const records = turns.flatMap(() => [
    said("user", PROMPT),
    shown(PROMPT),
    said("assistant", ANSWER),
    event({ type: "agent_message", message: ANSWER }),
  ]);
  writeThread(home, [header(home, { id }), ...records], "sessions/2026/11/20", rolloutName(id));
  const timestamp = "2026-11-20T10:00:00.000Z";
  const geminiTurns = turns.flatMap((_, turn) => [
    { id: `u${turn}`, timestamp, type: "user", content: [{ text: PROMPT }] },
    { id: `a${turn}`, timestamp, type: "gemini", content: ANSWER, thoughts: [], model: "gemini-2.5-flash" },
  ]);
  const head = geminiHead(home, { sessionId: id });
  writeGemini(home, [head, ...geminiTurns], `session-2026-11-20T10-00-${id}.jsonl`);
  const entries = turns.flatMap((_, turn) => [
    entry(2 * turn, { role: "user", content: PROMPT, timestamp: 1 }),
    entry(2 * turn + 1, { role: "assistant", content: [{ type: "text", text: ANSWER }], timestamp: 2 }),
  ]);
  const name = `2026-11-20T10-00-00-000Z_${id}.jsonl`;
  writePi(home, [piHeader(home, { id }), ...entries], piFolder(home.project), name);
  writeOpencode(home, { id: `ses_${id}`, path: home.project.slice(1) });
}

function entry(at: number, message: object): object {
  const parentId = at === 0 ? null : `a${at - 1}`;
  return { type: "message", id: `a${at}`, parentId, timestamp: "2026-11-20T10:00:00.000Z", message };
}
