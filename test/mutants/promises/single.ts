/** The promises of `src/cli/single/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const ARCHIVE = { file: "src/cli/single/archive.ts", test: "src/cli/single/single.test.ts" };
const FOLDER = { file: "src/cli/single/unpack.ts", test: "src/cli/single/single.test.ts" };

export const SINGLE: readonly PromiseOfRoom[] = [
  {
    ...ARCHIVE,
    promise: "No file of the executable is written outside of its folder.",
    text: "    if (!PLAIN_PATH.test(path)) throw",
    mistake: "    if (path === null) throw",
  },
  {
    ...ARCHIVE,
    promise: "An archive whose sizes do not fit is damaged.",
    text: '  if (at !== whole.length) throw damaged("their sizes do not fit");\n',
    mistake: "",
  },
  {
    ...FOLDER,
    promise: "A folder that others can write to is not used.",
    text: "stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;",
    mistake: "stat.uid === process.getuid?.();",
  },
  {
    ...FOLDER,
    promise: "The folder of a build that was killed while it was written is not used.",
    text: ".new-$",
    mistake: "$",
  },
];
