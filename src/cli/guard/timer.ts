/**
 * The timer that runs the guard every hour: a user timer of systemd, or an agent of launchd. Both start `continuo guard
 * run` with the lowest priority, and nothing keeps running after it ends.
 */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { continuoHome, removeDurably, writeDurably, writeFailure } from "@continuo/files";
import { HOME_VARIABLES } from "@continuo/native";
import { ownCommand } from "../single/index.ts";
import { type Shell, tildePath } from "../terminal/index.ts";

export interface TimerState {
  readonly files: readonly string[];
  /** True if it runs; false if it starts with the next login. */
  readonly running: boolean;
  readonly message: string;
}

const NAME = "continuo-guard";
const LAUNCHD_NAME = "dev.continuo.guard";
/** The longest time that the command waits for an answer of the service manager. */
const ANSWER_MS = 10_000;

/** Errors: `unwritable`. */
export function installTimer(shell: Shell): TimerState {
  const units = unitsOf(shell);
  for (const [path, text] of units) {
    try {
      writeDurably(path, text);
    } catch (cause) {
      throw writeFailure(`cannot write ${path}`, cause);
    }
  }
  const files = units.map(([path]) => path);
  const isStarted =
    process.platform !== "darwin" &&
    control(["daemon-reload"], shell) &&
    control(["enable", "--now", `${NAME}.timer`], shell);
  const shown = tildePath(files.at(-1) ?? "", shell.home);
  if (isStarted) return { files, running: true, message: `A timer runs it every hour: ${shown}` };
  const start =
    process.platform === "darwin" ? `launchctl load ${shown}` : `systemctl --user enable --now ${NAME}.timer`;
  return {
    files,
    running: false,
    message: `A timer was written, and could not be started here: \`${start}\` starts it.`,
  };
}

/** `null` if there is none. Errors: `unwritable`. */
export function removeTimer(shell: Shell): TimerState | null {
  const files = unitsOf(shell)
    .map(([path]) => path)
    .filter((path) => existsSync(path));
  if (files.length === 0) return null;
  if (process.platform !== "darwin") control(["disable", "--now", `${NAME}.timer`], shell);
  for (const path of files) {
    try {
      removeDurably(path);
    } catch (cause) {
      throw writeFailure(`cannot remove ${path}`, cause);
    }
  }
  if (process.platform !== "darwin") control(["daemon-reload"], shell);
  return { files, running: false, message: "Its timer was removed." };
}

function control(args: readonly string[], { env }: Shell): boolean {
  const { status } = spawnSync("systemctl", ["--user", ...args], {
    env: { ...env },
    stdio: "ignore",
    timeout: ANSWER_MS,
  });
  return status === 0;
}

type ShellPlaces = Pick<Shell, "env" | "cwd" | "home">;

/** Paths and texts; the file that is started comes last. */
export function unitsOf(
  shell: ShellPlaces,
  platform: NodeJS.Platform = process.platform,
): readonly (readonly [path: string, text: string])[] {
  const command = [...ownCommand(shell), "guard", "run", "--quiet"];
  const variables = variablesOf(shell);
  if (platform === "darwin") {
    const path = join(shell.home, "Library", "LaunchAgents", `${LAUNCHD_NAME}.plist`);
    return [[path, launchdAgent(command, variables)]];
  }
  const config = shell.env.XDG_CONFIG_HOME || join(shell.home, ".config");
  const folder = join(config, "systemd", "user");
  return [
    [join(folder, `${NAME}.service`), service(command, variables)],
    [join(folder, `${NAME}.timer`), TIMER],
  ];
}

/** The variables that name folders: a timer has no others. */
function variablesOf({ env, cwd, home }: ShellPlaces): Readonly<Record<string, string>> {
  const names = ["XDG_CONFIG_HOME", "PATH", ...Object.values(HOME_VARIABLES)];
  const set = names.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return Object.fromEntries([["CONTINUO_HOME", resolve(cwd, continuoHome({ env, home }))], ...set]);
}

function service(command: readonly string[], variables: Readonly<Record<string, string>>): string {
  return [
    "[Unit]",
    "Description=Copies of agents' sessions, made before they are deleted (Continuo)",
    "",
    "[Service]",
    "Type=oneshot",
    `ExecStart=${command.map(quoted).join(" ")}`,
    ...Object.entries(variables).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    "Nice=19",
    "CPUSchedulingPolicy=idle",
    "IOSchedulingClass=idle",
    "",
  ].join("\n");
}

const TIMER = [
  "[Unit]",
  "Description=Every hour: copies of agents' sessions (Continuo)",
  "",
  "[Timer]",
  "OnStartupSec=1min",
  "OnUnitActiveSec=1h",
  "RandomizedDelaySec=1min",
  "",
  "[Install]",
  "WantedBy=timers.target",
  "",
].join("\n");

/** Puts the text into double quotes, and doubles `%` and `$`, because systemd would otherwise replace them. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("%", "%%")
    .replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

function launchdAgent(command: readonly string[], variables: Readonly<Record<string, string>>): string {
  const strings = command.map((word) => `    <string>${xml(word)}</string>`);
  const entries = Object.entries(variables).map(
    ([name, value]) => `    <key>${xml(name)}</key><string>${xml(value)}</string>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<plist version="1.0">',
    "<dict>",
    `  <key>Label</key><string>${LAUNCHD_NAME}</string>`,
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...strings,
    "  </array>",
    "  <key>EnvironmentVariables</key>",
    "  <dict>",
    ...entries,
    "  </dict>",
    "  <key>StartInterval</key><integer>3600</integer>",
    "  <key>RunAtLoad</key><true/>",
    "  <key>LowPriorityIO</key><true/>",
    "  <key>Nice</key><integer>19</integer>",
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
