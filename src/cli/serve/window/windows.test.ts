/**
 * New terminal windows: which terminal is chosen, and what is reported about the command in it. The terminals in these
 * tests are scripts.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { openWindow } from "./open.ts";
import { findTerminal, type Terminal } from "./terminals.ts";
import { createWindows, NO_WINDOWS } from "./windows.ts";

let root: string;
let bin: string;
let project: string;
let temporary: string;
beforeEach(() => {
  root = scratchFolder("windows");
  [bin, project, temporary] = [join(root, "bin"), join(root, "pro $(touch x) #(touch y)"), join(root, "tmp")];
  for (const folder of [bin, project, temporary]) mkdirSync(folder);
  vi.stubEnv("TMPDIR", temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  // After each window, nothing of it is left.
  expect(readdirSync(temporary)).toEqual([]);
});

function install(name: string, script: string): string {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return join(bin, name);
}

describe("the choice of the terminal", () => {
  const find = (
    env: Readonly<Record<string, string>>,
    platform: NodeJS.Platform = "linux",
  ): Terminal | null => findTerminal({ env: { PATH: bin, ...env }, cwd: root, platform });
  const BOTH = { DISPLAY: ":0", WAYLAND_DISPLAY: "wayland-0" };

  test.each([
    ["x-terminal-emulator", ["-e"]],
    ["ghostty", ["-e"]],
    ["kitty", []],
    ["alacritty", ["-e"]],
    ["wezterm", ["start", "--"]],
    ["foot", []],
    ["gnome-terminal", ["--"]],
    ["ptyxis", ["--"]],
    ["konsole", ["-e"]],
    ["xfce4-terminal", ["-x"]],
    ["mate-terminal", ["-x"]],
    ["urxvt", ["-e"]],
    ["xterm", ["-e"]],
  ])("%s receives the words of a command after %j", (name, before) => {
    const program = install(name, "");
    expect(find(BOTH)).toEqual({ name, program, before, takes: "words" });
  });

  test("is the first of the table that is installed, unless TERMINAL names another one of the table", () => {
    for (const name of ["xterm", "konsole", "kitty", "unknown"]) install(name, "");
    expect(find(BOTH)?.name).toBe("kitty");
    expect(find({ ...BOTH, TERMINAL: "konsole" })?.name).toBe("konsole");
    expect(find({ ...BOTH, TERMINAL: join(bin, "xterm") })).toMatchObject({ program: join(bin, "xterm") });
    for (const TERMINAL of ["unknown", "alacritty", "", "sh -c kitty"]) {
      expect(find({ ...BOTH, TERMINAL })?.name).toBe("kitty");
    }
  });

  test("needs a display on which it can open windows", () => {
    for (const name of ["xterm", "foot"]) install(name, "");
    expect(find({ DISPLAY: ":0" })?.name).toBe("xterm");
    expect(find({ WAYLAND_DISPLAY: "wayland-0" })?.name).toBe("foot");
    expect(find({})).toBeNull();
    expect(find({ DISPLAY: "" })).toBeNull();
  });

  test("is a window of tmux if the server runs in tmux", () => {
    for (const name of ["kitty", "tmux"]) install(name, "");
    expect(find({ ...BOTH, TMUX: "/tmp/tmux,1,0" })?.name).toBe("tmux");
    expect(find({ ...BOTH, TMUX: "" })?.name).toBe("kitty");
    rmSync(join(bin, "tmux"));
    expect(find({ ...BOTH, TMUX: "/tmp/tmux,1,0" })?.name).toBe("kitty");
  });

  test("is Terminal on macOS, but not through ssh", () => {
    install("open", "");
    expect(find({}, "darwin")).toMatchObject({ name: "Terminal", takes: "script" });
    expect(find({ SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }, "darwin")).toBeNull();
  });
});

/**
 * The report of the agent's stand-in: it is first written under another name, so that nobody reads an incomplete
 * report.
 */
interface Ran {
  readonly args: string;
  readonly folder: string;
  readonly env: string;
}

function installAgent(end = ""): void {
  install(
    "claude",
    `printf '%s\\n' "$*" "$PWD" "$SECRET|$TERM|$TERM_PROGRAM|$TMUX" >'${root}/ran.new'\n/bin/mv '${root}/ran.new' '${root}/ran'\n${end}`,
  );
}

async function ran(): Promise<Ran> {
  await vi.waitFor(() => expect(existsSync(join(root, "ran"))).toBe(true), { timeout: 60_000 });
  const [args = "", folder = "", env = ""] = readFileSync(join(root, "ran"), "utf8").split("\n");
  rmSync(join(root, "ran"));
  return { args, folder, env };
}

const ARGV = ["claude", "--resume", "4bf3 $(touch z); 'x'"];
const ENV = { DISPLAY: ":0", SECRET: "of the server", TERM: "of the server", TMUX: "" };

/** Opens a window according to the table: the words follow `-e`. */
function open(
  env: Readonly<Record<string, string>> = {},
  platform: NodeJS.Platform = "linux",
): Promise<string> {
  const places = { home: root, cwd: root, env: { ...ENV, PATH: bin, ...env } };
  return createWindows(places, platform).open({ argv: ARGV, cwd: project });
}

/** The window has its own variables: those of the terminal, and some others. */
const IN_WINDOW = "TERM=xterm-256color TERM_PROGRAM=xterm SECRET=of-the-window";

describe("a command in a new window", () => {
  test("receives its words, its folder, the environment of the server, and the terminal's own variables", async () => {
    installAgent();
    install("xterm", `[ "$1" = -e ] && shift && ${IN_WINDOW} exec "$@"`);
    expect(await open()).toBe("xterm");
    expect(await ran()).toEqual({
      args: ARGV.slice(1).join(" "),
      folder: project,
      env: "of the server|xterm-256color|xterm|",
    });
    expect(["x", "y", "z"].filter((name) => existsSync(join(project, name)))).toEqual([]);
  });

  test("runs in a window that another process of the terminal opens later", async () => {
    installAgent();
    install("xterm", 'shift; (/bin/sleep 0.1; exec "$@") >/dev/null 2>&1 &');
    expect(await open()).toBe("xterm");
    expect((await ran()).folder).toBe(project);
  });

  test("is reported as started even if it ends at once, together with its terminal", async () => {
    installAgent("exit 3");
    install("xterm", 'shift; "$@"; exit 3');
    expect(await open()).toBe("xterm");
    await ran();
  });

  test("is given to a terminal that opens files as a script of fixed words", async () => {
    installAgent();
    install("open", `[ "$1 $2" = "-a Terminal" ] || exit 9\n/bin/cp "$3" '${root}/script'\nexec "$3"`);
    expect(await open({}, "darwin")).toBe("Terminal");
    expect((await ran()).folder).toBe(project);
    const script = readFileSync(join(root, "script"), "utf8");
    expect(script).toMatch(/^#!\/bin\/sh\nexec '[^']+' '[^']+in-window\.ts' '[^']+\/socket'\n$/u);
  });
});

describe("a window that cannot be opened is an error", () => {
  test.each([
    [
      "a terminal that ends with an error",
      "echo 'cannot open display' >&2; exit 1",
      /xterm ended with code 1/u,
    ],
    ["a terminal that is killed", "kill -KILL $$", /xterm ended with SIGKILL/u],
    [
      "a window that is closed before the command runs in it",
      `exec '${process.execPath}' -e 'require("net").connect(process.argv[1]).resume().on("end", process.exit)' "$4"`,
      /the window was closed/u,
    ],
  ])("%s", async (_what, script, message) => {
    installAgent();
    install("xterm", script);
    const error = await open().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "agent_failed", message: expect.stringMatching(message) });
    expect(error).toMatchObject({
      hint: expect.stringMatching(script.includes("display") ? /cannot open display/u : /^Copy the command/u),
    });
  });

  test("a terminal that opens no window in time", async () => {
    installAgent();
    const terminal: Terminal = {
      name: "xterm",
      program: install("xterm", ""),
      before: [],
      takes: "words",
    };
    const command = { program: join(bin, "claude"), argv: ARGV, cwd: project, env: ENV };
    await expect(openWindow(terminal, command, { waitMs: 50 })).rejects.toMatchObject({
      code: "agent_failed",
      message: expect.stringContaining("xterm opened no window within 50 ms"),
    });
  });

  test("a program that the window cannot start", async () => {
    install("claude", "");
    writeFileSync(join(bin, "claude"), "#!/no/such/shell\n", { mode: 0o755 });
    install("xterm", 'shift; exec "$@" </dev/null');
    await expect(open()).rejects.toMatchObject({
      code: "agent_failed",
      message: expect.stringContaining("ENOENT"),
    });
  });

  test("an agent that is not installed, a folder that is gone, and no terminal: nothing is opened", async () => {
    install("xterm", `echo opened >'${root}/opened'`);
    await expect(open()).rejects.toMatchObject({ code: "agent_missing" });
    installAgent();
    rmSync(project, { recursive: true });
    await expect(open()).rejects.toMatchObject({ code: "not_found" });
    await expect(open({ DISPLAY: "" })).rejects.toMatchObject({ code: "unsupported" });
    await expect(NO_WINDOWS.open({ argv: ARGV, cwd: root })).rejects.toMatchObject({ code: "unsupported" });
    expect(existsSync(join(root, "opened"))).toBe(false);
  });

  test("a second window while the first one is being opened", async () => {
    installAgent();
    install("xterm", 'shift; exec "$@"');
    const windows = createWindows({ home: root, cwd: root, env: { ...ENV, PATH: bin } }, "linux");
    const command = { argv: ARGV, cwd: project };
    const first = windows.open(command);
    await expect(windows.open(command)).rejects.toMatchObject({ code: "busy" });
    expect(await first).toBe("xterm");
    await ran();
    expect(await windows.open(command)).toBe("xterm");
    await ran();
  });
});
