/** A home for tasks: typical sessions of five agents, one session to work in, and an agent that answers. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import { makeCorpus } from "../../bench/sessions/corpus.ts";
import { claudeText } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import type { Line } from "../hostile/hostile-session.ts";
import { scratchFolder } from "../scratch-folder.ts";

export const WORK_ID: string = "4bf3ca5e-0000-4000-8000-0000000000e1";
export const WORK_FILE: string = `.claude/projects/-project/${WORK_ID}.jsonl`;
export const SECRET: string = `ghp_${"a1B2c3".repeat(6)}`;
const SESSIONS = { name: "tasks", sessions: 60, totalBytes: 900_000 };

type TaskLine = readonly [uuid: string, parent: string | null, role: Line["role"], content: unknown];

const text = (words: string) => ({ type: "text", text: words });
const edit = (id: string, file_path: string, old_string: string, new_string: string) => ({
  type: "tool_use",
  id,
  name: "Edit",
  input: { file_path, old_string, new_string },
});
const changed = (id: string) => [{ type: "tool_result", tool_use_id: id, content: "The file was changed." }];

/** A longer conversation with edits of two files, and a question that was asked in two ways. */
function work(project: string): readonly TaskLine[] {
  const steps: TaskLine[] = [
    ["q1", null, "user", `The timer is wrong for black tea. The token of the build is ${SECRET}.`],
    ["a1", "q1", "assistant", [text("I look first."), edit("e1", `${project}/src/brew.ts`, "200", "240")]],
    ["r1", "a1", "user", changed("e1")],
    ["a2", "r1", "assistant", [text("Black tea draws **240 seconds** now.")]],
    ["q2", "a2", "user", "And what does oolong need? It is steeped twice."],
    [
      "a3",
      "q2",
      "assistant",
      [
        text("The second steeping of gyokuro is the odd one: it is the shorter of the two."),
        edit("e2", `${project}/src/kettle.ts`, "const heat = 100;", "const heat = 85;"),
      ],
    ],
    ["r2", "a3", "user", changed("e2")],
  ];
  for (let at = 1; at <= 30; at++) {
    steps.push([`qm${at}`, steps.at(-1)?.[0] ?? null, "user", `Check tea ${at} against its packet.`]);
    const found = Array.from({ length: 12 }, (_, line) => `- line ${line} of packet ${at} agrees`).join("\n");
    steps.push([`am${at}`, `qm${at}`, "assistant", [text(`Tea ${at} is right:\n\n${found}`)]]);
  }
  steps.push(
    ["qo", "am30", "user", "Write the times down."],
    ["ao", "qo", "assistant", [text("They are in a table.")]],
    ["qn", "am30", "user", "Write the times down, in seconds."],
    ["an", "qn", "assistant", [text("They are in a table, in seconds.")]],
  );
  return steps;
}

export function tasksHome(): TalkHome {
  const home = createTalkHome();
  cpSync(makeCorpus(SESSIONS, scratchFolder("tasks")), home.path, { recursive: true });
  const project = join(home.path, "project");
  const lines = work(project).map(([uuid, parent, role, content], at) => ({
    uuid,
    parent,
    role,
    content,
    time: `10:${String(Math.floor(at / 4)).padStart(2, "0")}:${String((at % 4) * 12).padStart(2, "0")}`,
  }));
  home.write(WORK_FILE, claudeText(WORK_ID, lines).replaceAll('"/home/ann/app"', JSON.stringify(project)));
  return home;
}
