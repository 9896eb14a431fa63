/** The first steps of `continuo chat`: an agent takes longer to start than everything else. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { run, SOURCE_MAIN } from "./home.ts";
import { createTalkHome, type TalkHome } from "./talk.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});

/** Records, in order, the modules that are loaded and the programs that are started. */
const WATCH = `
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { appendFileSync } from "node:fs";
import processes from "node:child_process";
const note = (line) => appendFileSync(process.env.ORDER, line + "\\n");
registerHooks({
  load(url, context, next) {
    note("load " + url);
    return next(url, context);
  },
});
const { spawn } = processes;
processes.spawn = (program, ...more) => {
  note("spawn " + program);
  return spawn(program, ...more);
};
syncBuiltinESMExports();
`;

async function order(): Promise<readonly string[]> {
  home.write("watch.mjs", WATCH);
  const file = join(home.path, "order");
  const { code, stderr } = await run(home, ["chat", "hello"], {
    main: SOURCE_MAIN,
    cwd: join(home.path, "project"),
    env: { ORDER: file, NODE_OPTIONS: `--import=${join(home.path, "watch.mjs")}` },
  });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return readFileSync(file, "utf8").split("\n");
}

const at = (lines: readonly string[], what: RegExp): number => lines.findIndex((line) => what.test(line));

test("the agent's program is started before the store and the session manager are loaded", async () => {
  const lines = await order();
  const started = at(lines, /^spawn .*node$/u);
  const later = [
    /node_modules\/kysely\//u,
    /node:sqlite$/u,
    /\/src\/store\/sqlite\//u,
    /\/src\/sessions\/execute/u,
  ];
  expect(started).toBeGreaterThan(-1);
  for (const what of later) expect([what, at(lines, what) > started]).toEqual([what, true]);
});
