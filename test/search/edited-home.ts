/** A home with a project whose file two sessions of Claude Code and one of Codex wrote, and a person after them. */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { claudeFile, claudeText, cleanEnv, createHome, type Home } from "../cli/home.ts";

export const FIRST_ID = "4bf3aaaa-0000-4000-8000-000000000001";
export const LAST_ID = "5cd4bbbb-0000-4000-8000-000000000003";
export const PATCHED_ID = "01999999-aaaa-7222-8333-000000000002";

export interface EditedHome extends Home {
  readonly project: string;
  /** Returns the path of a file of the project. */
  at(path: string): string;
  /** Writes a file of the project, as a person does. */
  edit(path: string, text: string): void;
  git(...args: readonly string[]): string;
}

const FIRST = "export const SECONDS = {\n  black: 200,\n  green: 150,\n};\n";
/** The content of the file after all sessions and the person. */
export const NOW =
  "// Times of teas, in seconds.\nimport { check } from './check.ts';\n\nexport const SECONDS = {\n  black: 240,\n  white: 300,\n  green: 150,\n};\n";

type Line = Parameters<typeof claudeText>[1][number];

/** A prompt, and edits after it, each with its result. */
function claudeTurn(number: number, hour: number, prompt: string, ...inputs: readonly object[]): Line[] {
  const time = `${hour}:0${number}:00`;
  const asked: Line = {
    uuid: `p${number}`,
    parent: number === 1 ? null : `e${number - 1}`,
    role: "user",
    content: prompt,
    time,
  };
  const calls = inputs.flatMap((input, at): Line[] => {
    const name = "content" in input ? "Write" : "command" in input ? "Bash" : "Edit";
    const id = `t${number}${at}`;
    const parent = at === 0 ? `p${number}` : `r${number}${at - 1}`;
    const { output = "The file was changed.", ...args } = input as { readonly output?: string };
    return [
      {
        uuid: `c${number}${at}`,
        parent,
        role: "assistant",
        content: [{ type: "tool_use", id, name, input: args }],
        time,
      },
      {
        uuid: `r${number}${at}`,
        parent: `c${number}${at}`,
        role: "user",
        time,
        content: [{ type: "tool_result", tool_use_id: id, content: output }],
      },
    ];
  });
  const end = `r${number}${inputs.length - 1}`;
  return [
    asked,
    ...calls,
    { uuid: `e${number}`, parent: end, role: "assistant", content: [{ type: "text", text: "Done." }], time },
  ];
}

function codexText(cwd: string, patch: string): string {
  const line = (type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: "2025-01-05T11:00:00.000Z", type, payload })}\n`;
  const text = "Add white tea";
  return [
    line("session_meta", {
      id: PATCHED_ID,
      timestamp: "2025-01-05T11:00:00.000Z",
      cwd,
      originator: "codex_exec",
      cli_version: "0.169.0",
      source: "cli",
    }),
    line("event_msg", { type: "user_message", message: text }),
    line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text }] }),
    line("response_item", {
      type: "custom_tool_call",
      status: "completed",
      call_id: "p1",
      name: "apply_patch",
      input: patch,
    }),
    line("response_item", {
      type: "custom_tool_call_output",
      call_id: "p1",
      output: "Success. Updated the following files:\nM src/brew.ts\n",
    }),
    line("response_item", {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Done." }],
    }),
  ].join("");
}

export function editedHome(): EditedHome {
  const home = createHome();
  const project = join(home.path, "app");
  const at = (path: string): string => join(project, path);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], {
      cwd: project,
      encoding: "utf8",
      env: {
        ...cleanEnv(home.path),
        GIT_COMMITTER_DATE: "2025-01-05T13:00:00Z",
        GIT_AUTHOR_DATE: "2025-01-05T13:00:00Z",
      },
    });
  const edit = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  mkdirSync(project);
  git("init", "--quiet", "--initial-branch=main");
  edit("src/brew.ts", NOW);
  const path = at("src/brew.ts");
  home.write(
    claudeFile(FIRST_ID),
    claudeText(FIRST_ID, [
      ...claudeTurn(1, 10, "Make a table of teas", { file_path: path, content: FIRST }),
      ...claudeTurn(2, 10, "Black tea needs four minutes", {
        file_path: path,
        old_string: "200",
        new_string: "240",
      }),
    ]),
  );
  const patch =
    "*** Begin Patch\n*** Update File: src/brew.ts\n@@\n   black: 240,\n+  white: 180,\n   green: 150,\n*** End Patch\n";
  home.write(
    `.codex/sessions/2025/01/05/rollout-2025-01-05T11-00-00-${PATCHED_ID}.jsonl`,
    codexText(project, patch),
  );
  home.write(
    claudeFile(LAST_ID),
    claudeText(LAST_ID, [
      ...claudeTurn(1, 12, "Check the times at the start", {
        file_path: path,
        old_string: "export const",
        new_string: "import { check } from './check.ts';\n\nexport const",
      }),
      ...claudeTurn(
        2,
        12,
        "White tea takes five minutes, and black four",
        { file_path: path, old_string: "  white: 180,", new_string: "  white: 300," },
        { file_path: path, old_string: "  black: 240,", new_string: "  black: 200," },
        { file_path: path, old_string: "  black: 200,", new_string: "  black: 240," },
      ),
    ]),
  );
  return Object.assign(home, { project, at, edit, git });
}
