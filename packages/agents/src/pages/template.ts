/** The built page of the viewer, and the places in it for a session. */

import { readFileSync } from "node:fs";
import { ContinuoError } from "@continuo/core/model";
import { packageFile } from "@continuo/files";

/** The build writes the page to this file. */
const FILE = "dist/web/file.html";

export type TemplatePart = "TITLE" | "PLAIN" | "SESSION";

/** Errors: `not_found`. */
export function readPageTemplate(): string {
  try {
    return readFileSync(packageFile(FILE) ?? FILE, "utf8");
  } catch (cause) {
    throw new ContinuoError("not_found", "the viewer is not built", {
      hint: "Run `npm run prepare` in the folder of the package, and do not bundle it into another program.",
      cause,
    });
  }
}

/** The pieces of the page in order. A part is made when its place is reached. */
export function* filled(
  template: string,
  parts: Readonly<Record<TemplatePart, () => Iterable<string>>>,
): Generator<string, void, void> {
  for (const [at, piece] of template.split(/%%(TITLE|PLAIN|SESSION)%%/u).entries()) {
    if (at % 2 === 0) yield piece;
    else yield* parts[piece as TemplatePart]();
  }
}
