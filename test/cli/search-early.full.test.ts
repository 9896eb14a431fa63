/** A search of many sessions that are not indexed, on a terminal: it shows results before it ends. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, claudeText, createHome, type Home, MAIN } from "./home.ts";
import { openTerminal } from "./tmux.ts";

const SESSIONS = 300;
/** The texts are so long that the results appear before all texts are read. */
const FILLER = "a marmot sleeps through the winter ".repeat(6_000);

let home: Home;
beforeAll(() => {
  home = createHome();
  for (let at = 0; at < SESSIONS; at++) {
    const id = `4bf3c2a1-0000-4000-9000-${String(at).padStart(12, "0")}`;
    const content = `Feed marmot number ${at}. ${FILLER}`;
    home.write(
      claudeFile(id),
      claudeText(id, [{ uuid: "u1", parent: null, role: "user", content, time: "10:00:00" }]),
    );
  }
}, 300_000);
afterAll(() => home[Symbol.dispose]());

test.each([
  [80, 24],
  [50, 20],
  [120, 50],
])(
  "at %ix%i the best results are on the screen while the rest is searched, and Ctrl-C keeps them with their numbers",
  async (columns, rows) => {
    const terminal = openTerminal(home, columns, rows);
    try {
      terminal.type(`export CI=1; ${process.execPath} ${MAIN} search marmot; echo "code $?"`);
      const early = await terminal.until((screen) => screen.includes("Ctrl-C: enough"));
      const lines = early.split("\n");
      expect(lines.filter((line) => line.startsWith("  · Feed marmot")).length).toBeGreaterThan(2);
      expect(early).not.toMatch(/^ {2}\d /mu);
      expect(early).toMatch(/\d of 300/u);
      // The command line has not scrolled away.
      expect(early.replaceAll("\n", "")).toContain("search marmot");
      terminal.send("C-c");
      const ended = await terminal.until((screen) => /^code \d/mu.test(screen));
      expect(ended).toContain("code 130");
      expect(ended.replaceAll(/\s+/gu, " ")).toMatch(/stopped: [\d,]+ sessions were not searched/u);
      expect(ended).not.toContain("  · Feed");
      terminal.type(`clear; ${process.execPath} ${MAIN} open 2 | head -c 300`);
      await terminal.until((screen) => /Feed marmot number \d/u.test(screen));
    } finally {
      terminal.close();
    }
  },
  120_000,
);

test("a search that runs to its end leaves only the final list, in its order", async () => {
  const terminal = openTerminal(home, 80, 200);
  try {
    terminal.type(`export CI=1; ${process.execPath} ${MAIN} search marmot; echo "code $?"`);
    await terminal.until((screen) => screen.includes("Ctrl-C: enough"));
    const ended = await terminal.until((screen) => /^code \d/mu.test(screen));
    expect(ended).toContain("code 0");
    expect(ended).not.toContain("  · Feed");
    expect(ended).toContain("  1 Feed marmot");
    expect(ended).toContain(" 10 Feed marmot");
    expect(ended).toContain("290 more sessions match: --all shows them");
  } finally {
    terminal.close();
  }
}, 300_000);
