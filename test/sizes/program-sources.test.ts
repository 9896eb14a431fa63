/** The tests that a change selects because they start a program. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../house/imports.ts";
import { programSources } from "./program-sources.ts";

type Watch = { readonly addWatchFile: (path: string) => void };

interface Seen {
  /** The files that Vitest takes for dependencies of the file. */
  readonly dependencies: readonly string[];
  readonly fromCache: boolean;
}

/** The file as Vitest sees it in a run with these options. */
function seenOf(file: string, options: object): Seen {
  const { configureVitest, transform } = programSources() as unknown as {
    readonly configureVitest: (context: object) => void;
    readonly transform: (this: Watch, code: string, id: string) => null;
  };
  const added: string[] = [];
  let fromCache = true;
  const id = join(ROOT, file);
  configureVitest({
    vitest: { config: { watch: false, ...options } },
    defineCacheKeyGenerator: (keyOf: (module: { readonly id: string }) => false | undefined) => {
      fromCache = keyOf({ id }) !== false;
    },
  });
  transform.call({ addWatchFile: (path) => added.push(path) }, "", id);
  return { dependencies: added.map((path) => path.slice(ROOT.length + 1)), fromCache };
}

test.each([{ changed: "main" }, { related: ["src/index.ts"] }, { watch: true }])(
  "with %j, a test that starts the command or a program depends on all of its sources",
  (options) => {
    expect(seenOf("test/cli/home.ts", options)).toEqual({
      dependencies: expect.arrayContaining([
        "src/cli/main.ts",
        "src/cli/agent-hooks.ts",
        "packages/agents/src/search/scanning/scan-worker.ts",
        "packages/agents/src/handoff/hand-off.ts",
      ]),
      fromCache: false,
    });
    const { dependencies: program } = seenOf("test/sessions/queue.test.ts", options);
    expect(program).toEqual(
      expect.arrayContaining(["test/sessions/processes/starter.ts", "packages/store/src/sessions/queue.ts"]),
    );
    expect(program).not.toContain("src/cli/main.ts");
  },
);

test("a test that starts no program has no further dependencies, and a run of all tests looks for none", () => {
  const nothing = { dependencies: [], fromCache: true };
  expect(seenOf("test/sizes/shared-programs.ts", { watch: true })).toEqual(nothing);
  expect(seenOf("packages/store/src/channels/claims.test.ts", { watch: true })).toEqual(nothing);
  expect(seenOf("test/cli/home.ts", {})).toEqual(nothing);
});
