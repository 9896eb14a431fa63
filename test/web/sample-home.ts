/** A home whose pages show every part of the viewer's look. */

import { claudeFile, claudeText, createHome, type Home, writeDamaged, writeSessions } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";

export const SAMPLE_ID = "4bf3f00d-0000-4000-8000-00000000000d";

const TABLE = `The timer gave **black tea** 200 seconds. It has 240 now, as the packet says:

| tea | before | after |
|---|--:|--:|
| black | 200 s | 240 s |
| green | 150 s | 150 s |

1. \`brew.ts\` reads the times from one table.
2. A test holds the table against [the packet](https://tea.example/black).

> Oolong has no time yet.

\`\`\`ts
/** The time that a tea draws, in seconds. */
export const SECONDS = { black: 240, green: 150 } as const;
export const isReady = (tea: keyof typeof SECONDS, atMs: number) => atMs >= SECONDS[tea] * 1_000;
\`\`\`
`;

const EDIT = {
  file_path: "/home/ann/app/src/brew.ts",
  old_string:
    "export const SECONDS = { black: 200, green: 150 };\n\nexport function brew(tea: string) {\n  return SECONDS[tea];\n}\n",
  new_string:
    "export const SECONDS = { black: 240, green: 150 } as const;\n\nexport function brew(tea: keyof typeof SECONDS) {\n  return SECONDS[tea];\n}\n",
};

const THOUGHT =
  "The packet says four minutes. I look where the number is, and whether something else depends on it.";

function turn(
  lines: Line[],
  question: string,
  ...steps: readonly (readonly [Line["role"], unknown])[]
): void {
  for (const [role, content] of [["user", question] as const, ...steps]) {
    const number = lines.length;
    const time = `10:${String(Math.floor(number / 4)).padStart(2, "0")}:${String((number % 4) * 12).padStart(2, "0")}`;
    lines.push({ uuid: `s${number}`, parent: lines.at(-1)?.uuid ?? null, role, content, time });
  }
}

const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: string, isError = false) => [
  { type: "tool_result", tool_use_id: id, content, is_error: isError },
];

function sample(): readonly Line[] {
  const lines: Line[] = [];
  turn(
    lines,
    "The timer is wrong for black tea: it should be four minutes. Please fix it, and say what else is odd.",
    [
      "assistant",
      [{ type: "thinking", thinking: THOUGHT, signature: "" }, call("c1", "Grep", { pattern: "SECONDS" })],
    ],
    [
      "user",
      result(
        "c1",
        "src/brew.ts:1:export const SECONDS = { black: 200, green: 150 };\nsrc/brew.ts:4:  return SECONDS[tea];",
      ),
    ],
    ["assistant", [{ type: "text", text: "The times stand in one place." }, call("c2", "Edit", EDIT)]],
    ["user", result("c2", "The file was changed.")],
    ["assistant", [call("c3", "Bash", { command: "npm test -- brew", description: "Test it" })]],
    ["user", result("c3", "FAIL test/brew.test.ts\n  expected 200, got 240\n\n1 failed, 11 passed", true)],
    ["assistant", [{ type: "text", text: TABLE }]],
  );
  turn(lines, "Good. Write down what is left.", [
    "assistant",
    [
      call("c4", "TodoWrite", {
        todos: [
          { content: "Give oolong a time", status: "in_progress" },
          { content: "Fix black tea", status: "completed" },
          { content: "Ask for the times of white tea", status: "pending" },
        ],
      }),
      { type: "text", text: "Three things, one of them done." },
    ],
  ]);
  return lines;
}

export function sampleHome(): Home {
  const home = createHome();
  writeSessions(home);
  writeDamaged(home);
  home.write(claudeFile(SAMPLE_ID), claudeText(SAMPLE_ID, sample()));
  return home;
}
