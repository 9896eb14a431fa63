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
    configureVitest: ({ vitest: { config }, defineCacheKeyGenerator }) => {
      isChoosing = config.watch || Boolean(config.changed) || config.related !== undefined;
      // A module from Vitest's cache is not transformed, and other runs cached these without the sources.
      defineCacheKeyGenerator(({ id }) => (isChoosing && sourcesOf(id).length > 0 ? false : undefined));
    },
    transform(_code, id) {
      if (!isChoosing) return null;
      for (const source of sourcesOf(id)) this.addWatchFile(join(ROOT, source));
      return null;
    },
  };
}

function sourcesOf(id: string): readonly string[] {
  return sourcesOfPrograms(relative(ROOT, id).replaceAll(sep, "/"));
}
