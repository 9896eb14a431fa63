/** A home with sessions to compare: one with two branches, and one of another agent with the same prompt. */

import { claudeFile, claudeText, type Home } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";
import { sampleHome } from "./sample-home.ts";

export const BRANCHED_ID = "4bf3dddd-0000-4000-8000-0000000000c1";
export const AGAIN_ID = "4bf3dddd-0000-4000-8000-0000000000c2";
/** The id of the last record of the inactive branch. */
export const OTHER_END = "a3";

const call = (id: string, command: string) => [
  { type: "text", text: "I look at the times first." },
  { type: "tool_use", id, name: "Bash", input: { command, description: "Look" } },
];
const result = (id: string, content: string) => [{ type: "tool_result", tool_use_id: id, content }];

const FIRST = "The timer is wrong for black tea: it should be four minutes. Please fix it.";

const BRANCHED: readonly (readonly [string, string | null, Line["role"], unknown])[] = [
  ["q1", null, "user", FIRST],
  ["a1", "q1", "assistant", "Black tea draws **240 seconds** now."],
  ["q2", "a1", "user", "Thank you. Which times are odd?"],
  ["a2", "q2", "assistant", "Only that of oolong, which is missing."],
  ["q3", "a2", "user", "Then give oolong a time."],
  ["c3", "q3", "assistant", call("t3", "grep -n oolong src/brew.ts")],
  ["r3", "c3", "user", result("t3", "nothing found")],
  ["a3", "r3", "assistant", "Oolong draws 180 seconds now."],
  ["q4", "a2", "user", "Then give oolong a time."],
  ["c4", "q4", "assistant", call("t4", "cat src/brew.ts")],
  ["r4", "c4", "user", result("t4", "export const SECONDS = { black: 240, green: 150 };")],
  ["a4", "r4", "assistant", "Oolong draws 200 seconds now, as the packet says."],
  ["q5", "a4", "user", "Write a test for it."],
  ["a5", "q5", "assistant", "A test holds the table against the packet."],
];

const AGAIN: readonly (readonly [string, string | null, Line["role"], unknown])[] = [
  ["q1", null, "user", FIRST],
  ["c1", "q1", "assistant", call("t1", "npm test")],
  ["r1", "c1", "user", result("t1", "12 passed")],
  ["a1", "r1", "assistant", "Black tea draws 240 seconds now, and green tea stays as it is."],
];

function linesOf(said: typeof BRANCHED): readonly Line[] {
  return said.map(([uuid, parent, role, content], at) => ({
    uuid,
    parent,
    role,
    content,
    time: `10:00:${String(at * 3).padStart(2, "0")}`,
  }));
}

export function comparedHome(): Home {
  const home = sampleHome();
  home.write(claudeFile(BRANCHED_ID), claudeText(BRANCHED_ID, linesOf(BRANCHED)));
  home.write(claudeFile(AGAIN_ID), claudeText(AGAIN_ID, linesOf(AGAIN)));
  return home;
}
