/** The modules that a command loads: a list needs no configuration and no store. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { compiledCode } from "../sizes/shared-programs.ts";
import { createHome, type Home, run, SOURCE_MAIN, writeSessions } from "./home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  mkdirSync(join(home.path, "app/.git"), { recursive: true });
});

test.each([[["--version"]], [["session", "list"]], [["session", "list", "--json"]]])(
  "continuo %j loads no configuration, no store and none of their packages",
  async (args) => {
    writeSessions(home);
    home.write(".continuo/continuo.yaml", "agent: claude");
    home.write(
      "loads.mjs",
      `import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    process.stderr.write(url + "\\n");
    return next(url, context);
  },
});`,
    );
    const { code, stderr } = await run(home, args, {
      main: SOURCE_MAIN,
      env: {
        NODE_OPTIONS: `--import=${join(home.path, "loads.mjs")}`,
        ...compiledCode(),
      },
    });
    expect(code).toBe(0);
    const loaded = stderr.split("\n");
    expect(loaded.some((url) => url.endsWith("/src/cli/main.ts"))).toBe(true);
    // The rows of the list are in a separate SQLite file, which is not a store.
    const unwanted = /node_modules\/(zod|yaml|kysely|pg)\/|src\/store\/sqlite|src\/config\//u;
    expect(loaded.filter((url) => unwanted.test(url))).toEqual([]);
  },
);
