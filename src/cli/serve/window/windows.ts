/** The windows of one server: it opens them one at a time, with its own environment. */

import { findProgram } from "@continuo/agents/drivers/process";
import { ContinuoError } from "@continuo/core/model";
import { isFolder, type PlacesAt } from "@continuo/files";
import type { TerminalWindows } from "@continuo/server/machine";
import { openWindow } from "./open.ts";
import { findTerminal, type Screen } from "./terminals.ts";

/** The windows of a server that other machines can reach: none. */
export const NO_WINDOWS: TerminalWindows = {
  terminal: () => null,
  open: async () => {
    throw noWindow("this server is also for other machines");
  },
};

export function createWindows(
  { env, cwd }: PlacesAt,
  platform: NodeJS.Platform = process.platform,
): TerminalWindows {
  const screen: Screen = { env, cwd, platform };
  let isOpening = false;
  return {
    terminal: () => findTerminal(screen)?.name ?? null,
    open: async ({ argv, cwd: folder }) => {
      const terminal = findTerminal(screen);
      if (terminal === null) throw noWindow("the server finds no terminal, or no display");
      if (isOpening) throw opening();
      const [name = ""] = argv;
      const program = findProgram(name, env.PATH ?? "", cwd);
      if (program === null) throw notInstalled(name);
      if (!isFolder(folder)) throw noFolder(folder);
      isOpening = true;
      try {
        await openWindow(terminal, { program, argv, cwd: folder, env });
      } finally {
        isOpening = false;
      }
      return terminal.name;
    },
  };
}

function noWindow(why: string): ContinuoError {
  return new ContinuoError("unsupported", `cannot open a terminal: ${why}`, {
    hint: "Copy the command, and run it in a terminal.",
  });
}

function opening(): ContinuoError {
  return new ContinuoError("busy", "another terminal is being opened", { hint: "Try again in a moment." });
}

function noFolder(folder: string): ContinuoError {
  return new ContinuoError("not_found", `the session's folder ${folder} no longer exists`, {
    hint: "Create it again, or hand the session over to another folder.",
  });
}

function notInstalled(name: string): ContinuoError {
  return new ContinuoError("agent_missing", `${name} is not on the search path of the server`, {
    hint: "Install it, or start the server again with a PATH that has it.",
  });
}
