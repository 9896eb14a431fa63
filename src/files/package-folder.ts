/** The package that this code belongs to, wherever in it the code lies: in `src/`, or bundled in `dist/`. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(packageFolder(), "package.json"), "utf8"),
  );
  return version;
}
