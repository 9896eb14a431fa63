/** The tests that a change selects because they start a program. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../house/imports.ts";
import { programSources } from "./program-sources.ts";

type Watch = { readonly addWatchFile: (path: string) => void };

/** The files that Vitest takes for dependencies of a file, in a run with these options. */
function dependenciesOf(file: string, options: object): readonly string[] {
  const { configureVitest, transform } = programSources() as unknown as {
    readonly configureVitest: (context: object) => void;
    readonly transform: (this: Watch, code: string, id: string) => null;
  };
  const added: string[] = [];
  configureVitest({ vitest: { config: { watch: false, ...options } } });
  transform.call({ addWatchFile: (path) => added.push(path) }, "", join(ROOT, file));
  return added.map((path) => path.slice(ROOT.length + 1));
}

test.each([{ changed: "main" }, { related: ["src/index.ts"] }, { watch: true }])(
  "with %j, a test that starts the command or a program depends on all of its sources",
  (options) => {
    expect(dependenciesOf("test/cli/home.ts", options)).toEqual(
      expect.arrayContaining([
        "src/cli/main.ts",
        "src/cli/agent-hooks.ts",
        "packages/agents/src/search/scanning/scan-worker.ts",
        "packages/agents/src/handoff/hand-off.ts",
      ]),
    );
    const program = dependenciesOf("test/sessions/queue.test.ts", options);
    expect(program).toEqual(
      expect.arrayContaining(["test/sessions/processes/starter.ts", "packages/store/src/sessions/queue.ts"]),
    );
    expect(program).not.toContain("src/cli/main.ts");
  },
);

test("a test that starts no program has no further dependencies, and a run of all tests looks for none", () => {
  expect(dependenciesOf("test/sizes/shared-programs.ts", { watch: true })).toEqual([]);
  expect(dependenciesOf("packages/store/src/channels/claims.test.ts", { watch: true })).toEqual([]);
  expect(dependenciesOf("test/cli/home.ts", {})).toEqual([]);
});
