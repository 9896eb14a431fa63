import { expect, test } from "vitest";
import type { ToolCallBlock, ToolResultBlock } from "../../model/index.ts";
import type { FileEdit } from "./file-edit.ts";
import { fileEditsOf } from "./file-edits.ts";

const PATH = "/home/dev/project/timer.js";

function editsOf(
  call: Pick<ToolCallBlock, "name" | "args"> & Partial<ToolCallBlock>,
  result: Partial<ToolResultBlock> | null = {},
): readonly FileEdit[] {
  const made: ToolCallBlock = { type: "tool_call", id: "c", ...call };
  if (result === null) return fileEditsOf(made, null);
  return fileEditsOf(made, { type: "tool_result", toolCallId: "c", content: [], isError: false, ...result });
}

/** The edits as text: one line for the edit, and one for each line of its hunks. */
function drawn(edits: readonly FileEdit[]): readonly string[] {
  return edits.flatMap(({ kind, path, movedFrom, hunks }) => [
    `${kind} ${movedFrom === null ? "" : `${movedFrom} to `}${path}`,
    ...hunks.flatMap(({ at, lines }) => [`@${at}`, ...lines.map(({ sign, text }) => sign + text)]),
  ]);
}

const CHANGED = ["@4", "-  black: 200,", "+  black: 240,", "   white: 300,"];
const UNIFIED = "@@ -4,2 +4,2 @@\n-  black: 200,\n+  black: 240,\n   white: 300,\n";

test.each([
  [
    "Claude Code",
    { name: "Edit", args: { file_path: PATH, old_string: "200", new_string: "240" } },
    {
      filePath: PATH,
      oldString: "200",
      newString: "240",
      structuredPatch: [
        {
          oldStart: 4,
          oldLines: 2,
          newStart: 4,
          newLines: 2,
          lines: ["-  black: 200,", "+  black: 240,", "   white: 300,"],
        },
      ],
    },
  ],
  [
    "Codex",
    {
      name: "apply_patch",
      args: { input: "*** Begin Patch\n*** Update File: timer.js\n@@\n-a\n+b\n*** End Patch" },
    },
    {
      type: "patch_apply_end",
      success: true,
      changes: { [PATH]: { type: "update", unified_diff: UNIFIED, move_path: null } },
    },
  ],
  [
    "Gemini CLI",
    { name: "replace", args: { file_path: PATH, old_string: "200", new_string: "240" } },
    {
      resultDisplay: {
        fileName: "timer.js",
        fileDiff: `Index: timer.js\n====\n--- timer.js\tCurrent\n+++ timer.js\tProposed\n${UNIFIED}`,
      },
    },
  ],
  [
    "pi",
    { name: "edit", args: { path: PATH, edits: [{ oldText: "200", newText: "240" }] } },
    { diff: " 3 x\n-4   black", patch: `--- timer.js\n+++ timer.js\n${UNIFIED}`, firstChangedLine: 4 },
  ],
  [
    "opencode",
    { name: "edit", args: { filePath: PATH, oldString: "200", newString: "240" } },
    { status: "completed", metadata: { diff: `Index: ${PATH}\n===\n--- ${PATH}\n+++ ${PATH}\n${UNIFIED}` } },
  ],
  [
    "GitHub Copilot CLI",
    { name: "edit", args: { path: PATH, old_str: "200", new_str: "240" } },
    {
      detailedContent: `\ndiff --git a${PATH} b${PATH}\nindex 0000000..0000000 100644\n--- a${PATH}\n+++ b${PATH}\n${UNIFIED}`,
    },
  ],
])("an edit of %s has the whole lines that its result shows, with their place", (_agent, call, details) => {
  expect(drawn(editsOf(call, { details }))).toEqual([`edit ${PATH}`, ...CHANGED]);
  expect(editsOf(call, { details, isError: true })).toEqual([]);
});

test("without details an edit has the texts of the call, and a write the whole file", () => {
  const args = { file_path: PATH, old_string: "a\nb", new_string: "a\nc" };
  expect(drawn(editsOf({ name: "Edit", args }))).toEqual([`edit ${PATH}`, "@null", " a", "-b", "+c"]);
  const write = { name: "write_file", args: { file_path: PATH, content: "one\ntwo\n" } };
  expect(drawn(editsOf(write))).toEqual([`write ${PATH}`, "@1", "+one", "+two"]);
  expect(drawn(editsOf(write, null))).toEqual(drawn(editsOf(write)));
});

test("a new file of Claude Code is created, also where its call says only that it writes", () => {
  const call = { name: "Write", args: { file_path: PATH, content: "one\n" } };
  const details = {
    type: "create",
    filePath: PATH,
    content: "one\n",
    structuredPatch: [],
    originalFile: null,
  };
  expect(drawn(editsOf(call, { details }))).toEqual([`create ${PATH}`, "@1", "+one"]);
});

test("a patch adds, deletes, moves and changes files, by a call of the tool or of the shell", () => {
  const patch = [
    "*** Begin Patch",
    "*** Add File: new.py",
    "+print(1)",
    "*** Delete File: old.py",
    "*** Update File: a.py",
    "*** Move to: b.py",
    "@@ def f():",
    "     x = 1",
    "--- a comment",
    "+    return x",
    "*** End Patch",
  ].join("\n");
  const expected = ["create new.py", "@1", "+print(1)", "delete old.py", "edit a.py to b.py", "@null"];
  const lines = ["     x = 1".replace(/^ /u, " "), "--- a comment", "+    return x"];
  for (const args of [
    { input: patch },
    { command: ["apply_patch", patch] },
    { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` },
  ])
    expect(drawn(editsOf({ name: "shell", args }))).toEqual([...expected, ...lines]);
  expect(drawn(editsOf({ name: "apply_patch", args: {}, rawArgs: patch }))).toEqual([...expected, ...lines]);
});

test("a removed line that looks like the name of a file ends no hunk", () => {
  const diff = "--- a.sql\n+++ a.sql\n@@ -1,3 +1,2 @@\n--- old comment\n+++ x\n-gone\n kept\n";
  const call = { name: "edit", args: { path: "a.sql" } };
  const details = { patch: diff };
  expect(drawn(editsOf(call, { details }))).toEqual([
    "edit a.sql",
    "@1",
    "--- old comment",
    "+++ x",
    "-gone",
    " kept",
  ]);
});

test("Codex reports new, deleted and moved files in the form of each of its generations", () => {
  const changes = [
    { path: "/w/new.txt", kind: { type: "add" }, diff: "one\ntwo\n" },
    { path: "/w/old.txt", kind: { type: "delete" }, diff: "gone\n" },
    { path: "/w/a.txt", kind: { type: "update", move_path: "/w/b.txt" }, diff: "@@ -1 +1 @@\n-x\n+y\n" },
  ];
  const call = { name: "apply_patch", args: { input: "" } };
  expect(drawn(editsOf(call, { details: [{ type: "other" }, { type: "FileChange", changes }] }))).toEqual([
    ...["create /w/new.txt", "@1", "+one", "+two", "delete /w/old.txt", "@1", "-gone"],
    ...["edit /w/a.txt to /w/b.txt", "@1", "-x", "+y"],
  ]);
});
