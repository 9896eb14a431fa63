/** Real shells complete `continuo`: the keys are pressed in a terminal. */

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CODEX_ID, createHome, type Home, MAIN, writeSessions } from "./home.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
  mkdirSync(join(home.path, "bin"));
  writeFileSync(join(home.path, "bin/continuo"), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(join(home.path, "bin/continuo"), 0o755);
});

const SHELLS = [
  { shell: "bash", start: "source <(continuo completion bash)" },
  {
    shell: "zsh",
    start: "exec zsh -f",
    next: "autoload -U compinit; compinit -u; source <(continuo completion zsh)",
  },
  { shell: "fish", start: "exec fish --no-config", next: "continuo completion fish | source" },
];

describe.each(SHELLS)("$shell", ({ start, next }) => {
  let terminal: Terminal;

  beforeEach(async () => {
    terminal = openTerminal(home, 110, 30);
    terminal.type(`export PATH="$HOME/bin:$PATH"; ${start}`);
    if (next !== undefined) terminal.type(next);
    terminal.type("echo rea''dy");
    await terminal.until((screen) => /^ready/mu.test(screen));
    terminal.type("clear");
  });
  afterEach(() => terminal.close());

  test("commands, choices and ids", async () => {
    terminal.write("continuo sess");
    terminal.send("Tab");
    await terminal.until((screen) => /continuo session *$/mu.test(screen));
    terminal.write("export 0199");
    terminal.send("Tab");
    await terminal.until((screen) => screen.includes(`continuo session export ${CODEX_ID}`));
    terminal.write("--format h");
    terminal.send("Tab");
    await terminal.until((screen) => screen.includes("--format html"));
    terminal.send("Enter");
    await terminal.until((screen) => screen.includes("<!doctype html>") || screen.includes("</html>"));
  });

  test("several ids are shown with their titles, and no title is inserted", async () => {
    terminal.write("continuo session show 4bf3");
    terminal.send("Tab");
    terminal.send("Tab");
    const seen = await terminal.until((screen) => screen.includes("Fix the build"));
    expect(seen).toContain("4bf3d000-0000-4000-8000-000000000002");
    expect(
      seen
        .split("\n")
        .filter((line) => line.includes("continuo session show"))
        .join(""),
    ).not.toContain("Fix");
  });
});
