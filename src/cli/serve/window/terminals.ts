/** The known terminals, one row each, and the choice of the one that opens a window here. */

import { basename } from "node:path";
import { findProgram } from "@continuo/agents/drivers/process";

type Environment = Readonly<Record<string, string | undefined>>;

interface TerminalRow {
  readonly name: string;
  /**
   * The arguments before the words of the command. Every terminal receives them as separate words, never as one text
   * for a shell.
   */
  readonly before: readonly string[];
  /** The displays on which it can open windows; both by default. */
  readonly display?: "DISPLAY" | "WAYLAND_DISPLAY";
}

/** The order of choice, after the terminal in `TERMINAL`: the system's choice, then terminals of a person. */
const TERMINALS: readonly TerminalRow[] = [
  { name: "x-terminal-emulator", before: ["-e"] },
  { name: "ghostty", before: ["-e"] },
  { name: "kitty", before: [] },
  { name: "alacritty", before: ["-e"] },
  { name: "wezterm", before: ["start", "--"] },
  { name: "foot", before: [], display: "WAYLAND_DISPLAY" },
  { name: "gnome-terminal", before: ["--"] },
  { name: "ptyxis", before: ["--"] },
  { name: "konsole", before: ["-e"] },
  { name: "xfce4-terminal", before: ["-x"] },
  { name: "mate-terminal", before: ["-x"] },
  { name: "urxvt", before: ["-e"], display: "DISPLAY" },
  { name: "xterm", before: ["-e"], display: "DISPLAY" },
];

/** No folder is passed: tmux reads it as a format, which can run commands. */
const TMUX: TerminalRow = { name: "tmux", before: ["new-window", "-n", "continuo", "--"] };

/** A terminal that is installed. */
export interface Terminal {
  /** The name that a person uses. */
  readonly name: string;
  /** The path of its program. */
  readonly program: string;
  readonly before: readonly string[];
  /** The words of a command, or the path of a script with them. */
  readonly takes: "words" | "script";
}

export interface Screen {
  readonly env: Environment;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

/** `null` if no window can be opened. A window of tmux comes first, because the person who runs the server sees it. */
export function findTerminal(screen: Screen): Terminal | null {
  const { env, platform } = screen;
  const tmux = isSet(env.TMUX) ? installed(TMUX, TMUX.name, screen) : null;
  if (tmux !== null) return tmux;
  if (platform === "darwin") return macTerminal(screen);
  const shown = TERMINALS.filter(({ display }) =>
    display === undefined ? isSet(env.DISPLAY) || isSet(env.WAYLAND_DISPLAY) : isSet(env[display]),
  );
  const chosen = shown.find(({ name }) => name === basename(env.TERMINAL ?? ""));
  const first = chosen === undefined ? null : installed(chosen, env.TERMINAL ?? "", screen);
  if (first !== null) return first;
  for (const row of shown) {
    const found = installed(row, row.name, screen);
    if (found !== null) return found;
  }
  return null;
}

/** Through ssh, the window would open on a screen that the person does not see. */
function macTerminal(screen: Screen): Terminal | null {
  const { SSH_CONNECTION, SSH_TTY } = screen.env;
  if (isSet(SSH_CONNECTION) || isSet(SSH_TTY)) return null;
  const open = installed({ name: "Terminal", before: ["-a", "Terminal"] }, "open", screen);
  return open === null ? null : { ...open, takes: "script" };
}

function installed({ name, before }: TerminalRow, command: string, { env, cwd }: Screen): Terminal | null {
  const program = findProgram(command, env.PATH ?? "", cwd);
  return program === null ? null : { name, program, before, takes: "words" };
}

/** An empty variable counts as not set. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
