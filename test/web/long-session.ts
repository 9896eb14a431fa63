/** A home with the small sessions of the CLI's tests, and one session with many turns. */

import { claudeFile, claudeText, createHome, type Home, writeSessions } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";

export const LONG_ID = "4bf3eeee-0000-4000-8000-00000000000c";
export const LONG_TURNS = 1_500;

export function sessionAddress(id: string): string {
  return `/session/${encodeURIComponent(`claude:${id}`)}`;
}

/** @param seen the result of the call in the first turn, which makes the session longer */
export function homeWithLongSession(seen = "done"): Home {
  const home = createHome();
  writeSessions(home);
  home.write(claudeFile(LONG_ID), claudeText(LONG_ID, longSession(seen)));
  return home;
}

function longSession(seen: string): Line[] {
  const lines: Line[] = [];
  const add = (role: Line["role"], content: unknown): void => {
    const uuid = `u${lines.length}`;
    lines.push({ uuid, parent: lines.at(-1)?.uuid ?? null, role, content, time: "10:00:00" });
  };
  for (let turn = 1; turn <= LONG_TURNS; turn++) {
    add("user", `Question ${turn}`);
    add("assistant", [
      { type: "thinking", thinking: `Thought ${turn}`, signature: "" },
      { type: "text", text: `Answer **${turn}**\n\n\`\`\`ts\nconst a = ${turn};\n\`\`\`` },
      {
        type: "tool_use",
        id: `t${turn}`,
        name: "Edit",
        input: { file_path: "/home/ann/app/a.ts", old_string: "let a = 1;", new_string: "let b = 1;" },
      },
    ]);
    add("user", [
      {
        type: "tool_result",
        tool_use_id: `t${turn}`,
        content: turn === 1 ? seen : "done",
        is_error: turn % 100 === 0,
      },
    ]);
  }
  return lines;
}
