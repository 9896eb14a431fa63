/** A home in which five agents have a session of one project. */

import { dirname, join } from "node:path";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { header, TALK, writeThread } from "../lost/codex-recipes.ts";
import { GEMINI_TALK, geminiHead, writeGemini } from "../lost/gemini-recipes.ts";
import { writeOpencode } from "../lost/opencode-recipes.ts";
import { PI_TALK, piHeader, writePi } from "../lost/pi-recipes.ts";
import { type LostHome, toLines, writeText } from "../lost/recipe.ts";

export const ASKED = { role: "user", content: 'Why is "cwd":"/old" in the log?' } as const;
export const ANSWERED = { role: "assistant", content: "It quotes the folder." } as const;

/** Writes a session of each agent, and other files of the agents that name the project. */
export function writeAll(home: LostHome): void {
  writeText(sessionPath(home), toLines(talk(home, [ASKED, ANSWERED])));
  const folder = dirname(sessionPath(home));
  writeText(join(folder, "memory", "MEMORY.md"), "Use tabs.\n");
  const agent = { agentId: "a1", isSidechain: true, cwd: home.project, type: "user" };
  writeText(sessionPath(home).replace(".jsonl", "/subagents/agent-a1.jsonl"), toLines([agent]));
  const typed = { display: `look at ${home.project}`, project: home.project, timestamp: 1 };
  writeText(
    join(home.root, ".claude", "history.jsonl"),
    toLines([typed, { ...typed, project: "/srv/other" }]),
  );
  const settings = {
    projects: { [home.project]: { allowedTools: ["Bash"] }, "/srv/other": {} },
    numStartups: 3,
  };
  writeText(join(home.root, ".claude.json"), JSON.stringify(settings, null, 2));
  const turn = {
    timestamp: "t",
    type: "turn_context",
    payload: { cwd: join(home.project, "src"), model: "m" },
  };
  writeThread(home, [header(home), turn, ...TALK]);
  writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
  writePi(home, [piHeader(home), ...PI_TALK]);
  writeOpencode(home, { path: home.project.slice(1) });
}
