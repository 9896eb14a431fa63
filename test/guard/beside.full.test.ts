/** A server, the viewer and the tools of an agent, each in a separate process: sessions are copied while it runs. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Places } from "@continuo/files";
import { changeGuardSettings, readLedger } from "@continuo/native/editing/guard";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { builtViewer, bundledCommand } from "../sizes/shared-programs.ts";
import { DAY_MS, writeClaudeSession } from "./sessions.ts";

const ID = "0b9c1a52-0000-4000-8000-000000000001";

test.each([
  ["mcp", []],
  ["view", ["--no-open", "--port", "0"]],
  ["serve", ["--listen", "127.0.0.1:0"]],
])(
  "while `continuo %s` runs, a session is copied, although no client requested sessions",
  async (command, flags) => {
    await builtViewer();
    const home = scratchFolder(`beside-${command}`);
    const places: Places = { home, env: {} };
    changeGuardSettings(places, { on: true });
    writeClaudeSession(home, { id: ID, turns: 6, writtenMs: Date.now() - DAY_MS });
    const child = spawn(process.execPath, [await bundledCommand(), command, ...flags], {
      cwd: home,
      env: { HOME: home, PATH: process.env.PATH },
      stdio: ["pipe", "ignore", "inherit"],
    });
    try {
      await expect.poll(() => [...readLedger(places).keys()].join(" ")).toContain(ID);
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill();
      await once(child, "exit");
    }
  },
);
