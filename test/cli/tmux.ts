/** A real terminal, by tmux. Tests that use it fail without tmux, which is a package of every system. */

import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanEnv, type Home } from "./home.ts";

export interface Terminal {
  send(...keys: readonly string[]): void;
  /** Types the text unchanged. */
  write(text: string): void;
  /** Types a line and presses Enter. */
  type(line: string): void;
  screen(mode?: "colours"): string;
  /** Returns the screen when it matches, or fails with the present screen if it never does. */
  until(isWanted: (screen: string) => boolean): Promise<string>;
  resize(columns: number, rows: number): void;
  close(): void;
}

/** Each attempt takes a tenth of a second and the time of tmux; only a text that never comes reaches this limit. */
const MAX_LOOKS = 600;

/** A server that is about to end may still answer on its socket. */
let opened = 0;

/** Opens bash in a new terminal, without the real environment. */
export function openTerminal(home: Home, columns: number, rows: number): Terminal {
  opened += 1;
  const socket = `${home.path}/tmux-${opened}`;
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { ...cleanEnv(home.path), TERM: "xterm-256color", HISTFILE: "/dev/null" },
    });
  const size = ["-x", String(columns), "-y", String(rows)];
  tmux("new-session", "-d", "-c", home.path, ...size, "env", "PS1=$ ", "bash", "--norc", "--noprofile");
  const screen = (mode?: "colours"): string =>
    tmux("capture-pane", "-p", ...(mode === undefined ? [] : ["-e"]));
  return {
    send: (...keys) => void tmux("send-keys", ...keys),
    write: (text) => void tmux("send-keys", "-l", "--", text),
    type(line) {
      tmux("send-keys", "-l", "--", line);
      tmux("send-keys", "Enter");
    },
    screen,
    async until(isWanted) {
      for (let tries = 0; tries < MAX_LOOKS; tries++) {
        const seen = screen();
        if (isWanted(seen)) return seen;
        await sleep(100);
      }
      throw new Error(`the screen never was as wanted:\n${screen()}`);
    },
    resize: (width, height) => void tmux("resize-window", "-x", String(width), "-y", String(height)),
    close: () => void tmux("kill-server"),
  };
}
