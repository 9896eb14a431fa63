/** The error messages of the command line: the right help, the real id, and `copy`. */

import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import {
  CLAUDE_ID,
  CODEX_ID,
  claudeFile,
  claudeText,
  createHome,
  HOSTILE_ID,
  type Home,
  runWith,
  writeSessions,
} from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

test.each([
  [["lst"], "unknown command 'lst'\nDid you mean list?"],
  [["lst", "--help"], "unknown command 'lst'\nDid you mean list?"],
  [["serach", "words"], "unknown command 'serach'\nDid you mean search?"],
  [["frobnicate", "--help"], "unknown command 'frobnicate'\nRun `continuo --help` to see what there is."],
  [["-v"], "unknown option '-v'\nDid you mean -V or --version?"],
  [["show", "cladue:x"], 'there is no session "cladue:x"\nDid you mean claude:x?'],
])("%j suggests the nearest command or flag", async (args, text) => {
  const { code, stdout, stderr } = await runHere(home, args);
  expect(code).toBeGreaterThan(0);
  expect([stdout, stderr]).toEqual(["", `continuo: ${text}\n`]);
});

test.each([
  [["session", "list", "--bogus"], "continuo session list --help"],
  [["--bogus"], "continuo session list --help"],
  [["handoff", "4bf3"], "continuo handoff --help"],
  [["chat", "--timeout", "soon", "x"], "continuo chat --help"],
  [["store", "frobnicate"], "continuo store --help"],
  [["frobnicate"], "continuo --help"],
])("%j names `%s`", async (args, help) => {
  const { code, stderr } = await runHere(home, args);
  expect(code).toBe(2);
  expect(stderr).toContain(`\`${help}\``);
});

test.each([
  [["show"], "show"],
  [["session", "export", "--format", "md"], "export"],
  [["delete", "--yes"], "delete"],
  [["fork"], "fork"],
  [["rename"], "rename"],
  [["handoff", "--to", "pi"], "hand over"],
  [["resume"], "resume"],
])("%j without a terminal names the newest sessions by their titles", async (args, verb) => {
  const { code, stdout, stderr } = await runHere(home, args, { now: new Date("2025-01-07T08:00:00Z") });
  expect([code, stdout, stderr]).toEqual([
    2,
    "",
    [
      `continuo: missing session to ${verb}; the newest are`,
      `  codex:${CODEX_ID}  Hello Codex  /home/ann/tool  23h ago`,
      `  claude:${CLAUDE_ID}  Fix the build  /home/ann/app  1d ago`,
      `  claude:${HOSTILE_ID}  ␛]0;owned␇ ␛[2J日本語 <U+202E>gnp.exe  /home/ann/app  1d ago`,
      "Name one by its id or the beginning of it, or by `last`.",
      "",
    ].join("\n"),
  ]);
});

test("an ambiguous id lists its sessions by their titles, and as JSON", async () => {
  const now = new Date("2025-01-07T08:00:00Z");
  const { code, stderr } = await runHere(home, ["show", "4bf3"], { now });
  expect(code).toBe(1);
  expect(stderr).toContain(`  claude:${CLAUDE_ID}  Fix the build  /home/ann/app  1d ago\n`);
  const json = JSON.parse((await runHere(home, ["show", "4bf3", "--json"], { now })).stderr);
  expect(json.error.details.matches[0]).toMatchObject({ title: "Fix the build", cwd: "/home/ann/app" });
});

test("a title names its session, and for a command that changes nothing, words of the title do too", async () => {
  for (const name of ["fix THE build", "build fix"]) {
    expect((await runHere(home, ["info", name])).stdout).toContain(CLAUDE_ID);
  }
  expect((await runHere(home, ["rename", "build", "x"])).code).toBe(3);
  expect((await runHere(home, ["rename", "Fix the build", "Mend it"])).stdout).toBe("renamed  Mend it\n");
  expect((await runHere(home, ["info", "no such words"])).code).toBe(3);
});

test("a resume in a missing folder names the session, its agent, and a command that works", async () => {
  const { code, stderr } = await runHere(home, ["resume", CLAUDE_ID, "--print"]);
  expect(code).toBe(3);
  expect(stderr).toContain(`\`continuo handoff claude:${CLAUDE_ID} --to claude --cwd DIR\``);
});

test("a session of one message is counted in the singular", async () => {
  const id = "7e000000-0000-4000-8000-000000000001";
  home.write(
    claudeFile(id),
    claudeText(id, [{ uuid: "m1", parent: null, role: "user", content: "Hi", time: "11:00:00" }]),
  );
  expect((await runHere(home, ["show", id])).stdout).toContain("1 message\n");
  expect((await runHere(home, ["fork", id])).stdout).toContain("1 message of");
});

test("copy puts the last answer on the terminal's clipboard, or into the system's program", async () => {
  const { stdout, stderr, code } = await runHere(home, ["copy", CLAUDE_ID], { columns: 80 });
  const encoded = Buffer.from("# Done\n\nAll well.").toString("base64");
  expect([code, stdout]).toEqual([0, `\u001b]52;c;${encoded}\u0007`]);
  expect(stderr).toContain("17 characters");
  expect((await runHere(home, ["copy", CLAUDE_ID])).code).toBe(1);
  home.write("bin/wl-copy", '#!/bin/sh\ncat > "$HOME/clipboard"\n');
  chmodSync(join(home.path, "bin/wl-copy"), 0o755);
  const env = { WAYLAND_DISPLAY: "w", PATH: `${join(home.path, "bin")}:${process.env.PATH}` };
  const copied = await runHere(home, ["copy", CLAUDE_ID], { env });
  expect([copied.code, copied.stdout]).toEqual([0, ""]);
  expect(readFileSync(join(home.path, "clipboard"), "utf8")).toBe("# Done\n\nAll well.");
});

test("copy in tmux sends the answer to tmux itself, because tmux drops what a program sends to the clipboard", async () => {
  home.write("bin/tmux", '#!/bin/sh\necho "$*" > "$HOME/asked"\ncat > "$HOME/clipboard"\n');
  chmodSync(join(home.path, "bin/tmux"), 0o755);
  const env = { TMUX: "/tmp/tmux-0/default,1,0", SSH_TTY: "/dev/pts/1" };
  const path = `${join(home.path, "bin")}:${process.env.PATH}`;
  const copied = await runHere(home, ["copy", CLAUDE_ID], { env: { ...env, PATH: path }, columns: 80 });
  expect([copied.code, copied.stdout]).toEqual([0, ""]);
  expect(readFileSync(join(home.path, "clipboard"), "utf8")).toBe("# Done\n\nAll well.");
  expect(readFileSync(join(home.path, "asked"), "utf8")).toBe("load-buffer -w -\n");
});

test("copy without a clipboard or a terminal names the command that prints the session", async () => {
  const { stderr } = await runHere(home, ["copy", CLAUDE_ID]);
  expect(stderr).toContain(`Run \`continuo session export claude:${CLAUDE_ID}\``);
});

test.each([
  ["help list", "Usage: continuo session list"],
  ["help agents doctor", "Usage: continuo agents doctor"],
  ["session help fork", "Usage: continuo session fork"],
])("`continuo %s` prints the help of that command", (words, usage) => {
  const { code, stdout } = runWith({ home: home.path, bin: home.path, cwd: home.path }, words.split(" "));
  expect([code, stdout.slice(0, usage.length)]).toEqual([0, usage]);
});

test.each([
  ["store", "missing command", "continuo store --help"],
  ["help nope", "unknown command 'nope'", "continuo --help"],
  ["session help nope", "unknown command 'nope'", "continuo session --help"],
])("`continuo %s` reports the mistake, and which help to read", async (words, message, help) => {
  const { code, stderr } = await runHere(home, words.split(" "));
  expect([code, stderr]).toEqual([2, `continuo: ${message}\nRun \`${help}\` to see what there is.\n`]);
});
