/**
 * The sources of programs: a test that starts the command, or another program, in a process depends on all of its
 * sources, although it imports none of them. With this plugin, `npm run test:since` and `npm run watch` choose such a
 * test when one of these sources changes. The imports are read once: a watch that is running does not see new ones.
 */

import { join, relative, sep } from "node:path";
import type { Plugin } from "vitest/config";
import { ROOT } from "../house/imports.ts";
import { sourcesOfPrograms } from "../mutants/reach.ts";

/** Returns the plugin, which does nothing in a run that chooses no tests: finding the sources takes seconds. */
export function programSources(): Plugin {
  let isChoosing = false;
  return {
    name: "program-sources",
    enforce: "pre",
    configureVitest: ({ vitest: { config } }) => {
      isChoosing = config.watch || Boolean(config.changed) || config.related !== undefined;
    },
    transform(_code, id) {
      if (!isChoosing) return null;
      const file = relative(ROOT, id).replaceAll(sep, "/");
      for (const source of sourcesOfPrograms(file)) this.addWatchFile(join(ROOT, source));
      return null;
    },
  };
}
