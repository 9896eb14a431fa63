/** Examples of the documents, with the sources of this repository in the place of the package. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly default: string } | string>>;
};

/** Replaces imports by name with the source from which they are built. */
export function fromSource(code: string): string {
  return code.replaceAll(/from "continuo(\/[\w/-]+)?"/gu, (whole, door: string | undefined) => {
    const entry = exports[door === undefined ? "." : `.${door}`];
    if (typeof entry !== "object") throw new Error(`${whole} is not exported`);
    const built = entry.default.replace("./dist/", "");
    const [name = ""] = built.split("/");
    const isPackage = existsSync(join(ROOT, "packages", name));
    const source = (isPackage ? built.replace(name, `packages/${name}/src`) : `src/${built}`).replace(
      /\.js$/u,
      ".ts",
    );
    return `from ${JSON.stringify(join(ROOT, source))}`;
  });
}
