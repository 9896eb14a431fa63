import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { attach, mentionsIn } from "./attachments.ts";
import { type Desktop, readClipboard } from "./clipboard.ts";
import { completionsOf } from "./completer.ts";
import { REPL_LIMITS } from "./limits.ts";
import { pathsBeginning } from "./paths.ts";

let cwd: string;

beforeEach(() => {
  cwd = scratchFolder("attach");
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/a.ts"), "const a = `1`;\n```\n");
  writeFileSync(join(cwd, "a name.md"), "words");
  writeFileSync(join(cwd, "shot one.png"), PNG);
});

const PNG = Buffer.from("89504e470d0a1a0a0000", "hex");
/** A machine without a desktop. */
const NOBODY = { env: {}, cwd: "/", platform: "linux" } as const;
const at = (line: string, desktop: Desktop = NOBODY) => attach(line, { cwd, home: cwd, desktop });

test.each([
  ["look at @src/a.ts, please", ["src/a.ts,"]],
  ['@"a name.md" and @"a name.md" again', ["a name.md"]],
  ["mail me@example.com, not @", []],
  ["what is on @clipboard?", ["clipboard?"]],
  [
    "/tmp/shot\\ one.png and '~/two.JPG' and file:///x/y.webp",
    ["/tmp/shot one.png", "~/two.JPG", "file:///x/y.webp"],
  ],
  ["see /etc/passwd and shot.png", []],
])("%j names %j", (line, paths) => expect(mentionsIn(line).map(({ path }) => path)).toEqual(paths));

test("a text is attached in a fence that nothing in it can close, and a picture is attached as a picture", async () => {
  const escaped = join(cwd, "shot one.png").replaceAll(" ", "\\ ");
  const { blocks, notes } = await at(`compare @src/a.ts, @~/src/a.ts and ${escaped}`);
  const text = "````\nconst a = `1`;\n```\n````";
  expect(blocks).toEqual([
    { type: "text", text: `The file src/a.ts:\n\n${text}` },
    { type: "text", text: `The file ~/src/a.ts:\n\n${text}` },
    { type: "image", mimeType: "image/png", data: PNG.toString("base64") },
  ]);
  expect(notes).toEqual([
    "attached src/a.ts (19 B)",
    "attached ~/src/a.ts (19 B)",
    `attached ${join(cwd, "shot one.png")} (10 B)`,
  ]);
});

test("a word that names no file is only a word", async () => {
  expect(await at("ask @claude about @src/b.ts")).toEqual({ blocks: [], notes: [] });
});

test("a file that is not regular, or that is reached through a link, is not read", async () => {
  symlinkSync(join(cwd, "src/a.ts"), join(cwd, "link.ts"));
  symlinkSync(join(cwd, "src"), join(cwd, "linked"));
  writeFileSync(join(cwd, "binary"), Buffer.from([1, 0, 2]));
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  for (const [path, why] of [
    ["link.ts", "it is reached by a link to"],
    ["linked/a.ts", "it is reached by a link to"],
    ["src", "it is a folder"],
    ["pipe", "it is not a regular file"],
    ["binary", "it is neither text nor a picture"],
  ] as const) {
    await expect(at(`see @${path}`)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining(`cannot attach ${path}: ${why}`),
    });
  }
});

test("the size of all attachments of one line together is limited", async () => {
  for (const name of ["one", "two"]) {
    writeFileSync(join(cwd, name), "x".repeat(REPL_LIMITS.attachedBytes / 2));
  }
  expect((await at("@one @two")).blocks).toHaveLength(2);
  await expect(at("@one @two @src/a.ts")).rejects.toMatchObject({ code: "too_large" });
  truncateSync(join(cwd, "two"), 1_000 * REPL_LIMITS.attachedBytes);
  await expect(at("@two")).rejects.toMatchObject({ code: "too_large" });
});

test("Tab after an @ offers paths of the folder, and only those that can be read back as paths", async () => {
  writeFileSync(join(cwd, "src/.hidden"), "");
  writeFileSync(join(cwd, "src/b\u001b[2J"), "");
  const paths = (prefix: string) => pathsBeginning(prefix, cwd, cwd);
  expect(await paths("")).toEqual(["src/"]);
  expect(await paths("src/")).toEqual(["src/a.ts"]);
  expect(await paths("~/src/.h")).toEqual(["~/src/.hidden"]);
  const candidates = { agents: () => [], commands: () => [], sessions: async () => [], paths };
  expect(await completionsOf("look at @sr", candidates)).toEqual([["src/"], "sr"]);
  expect(await completionsOf("me@sr", candidates)).toEqual([[], "me@sr"]);
});

/**
 * A stand-in for the desktop's program, which no test machine has: it prints a given text. The real programs print the
 * same: the bytes of a PNG, and `osascript` their digits.
 */
function desktopWith(program: string, script: string, env: Desktop["env"] = {}): Desktop {
  const folder = join(cwd, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const isMac = ["pngpaste", "osascript"].includes(program);
  return { cwd, env: { PATH: `${folder}:/usr/bin:/bin`, ...env }, platform: isMac ? "darwin" : "linux" };
}

const OCTAL = [...PNG].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

test.each([
  [
    "wl-paste",
    { WAYLAND_DISPLAY: "wayland-0" },
    `[ "$*" = "--no-newline --type image/png" ] && printf '${OCTAL}'`,
  ],
  [
    "xclip",
    { DISPLAY: ":0", WAYLAND_DISPLAY: "wayland-0" },
    `[ "$*" = "-selection clipboard -target image/png -out" ] && printf '${OCTAL}'`,
  ],
  ["pngpaste", {}, `[ "$*" = - ] && printf '${OCTAL}'`],
  ["osascript", {}, `echo '«data PNGf${PNG.toString("hex").toUpperCase()}»'`],
])("the picture of the clipboard is read by %s", async (program, env, script) => {
  const { blocks, notes } = await at("what is on @clipboard?", desktopWith(program, script, env));
  expect(blocks).toEqual([{ type: "image", mimeType: "image/png", data: PNG.toString("base64") }]);
  expect(notes).toEqual(["attached the picture of the clipboard (10 B)"]);
});

const X11 = { DISPLAY: ":0" };

test.each([
  [
    "without a desktop",
    NOBODY,
    "unsupported",
    "this process has no desktop",
    "Name the picture's file instead",
  ],
  [
    "without its program",
    { ...NOBODY, env: X11 },
    "unsupported",
    "xclip cannot be found",
    "Install xclip, or",
  ],
])("the clipboard cannot be read %s, and the error has advice", async (_, desktop, code, why, hint) => {
  await expect(at("@clipboard", desktop)).rejects.toMatchObject({
    code,
    message: `cannot read the clipboard: ${why}`,
    hint: expect.stringContaining(hint),
  });
});

test.each([
  ["only a text", "echo 'Error: target image/png not available' >&2; exit 1", "not_found"],
  ["nothing", "exit 0", "not_found"],
  ["what is no picture", "echo words", "not_found"],
  ["a picture over the limit", `printf '${OCTAL}'; head -c ${6_000_000} /dev/zero`, "too_large"],
  ["a program that is killed", "kill -9 $$", "unavailable"],
])("nothing is attached from a clipboard with %s", async (_, script, code) => {
  await expect(at("@clipboard", desktopWith("xclip", script, X11))).rejects.toMatchObject({ code });
});

test("a program that never answers is ended", async () => {
  const read = readClipboard(desktopWith("xclip", "exec sleep 600", X11), { maxBytes: 1_000, timeoutMs: 50 });
  await expect(read).rejects.toMatchObject({
    code: "unavailable",
    message: "cannot read the clipboard: xclip did not answer in time",
  });
});

test("a file with the name clipboard can be named by a path", async () => {
  writeFileSync(join(cwd, "clipboard"), "words");
  expect((await at("@./clipboard")).notes).toEqual(["attached ./clipboard (5 B)"]);
});
