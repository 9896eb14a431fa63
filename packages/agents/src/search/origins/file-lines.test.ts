import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { readFileLines } from "./file-lines.ts";

test("a file is read only below the given folder, whatever its path or a link says", () => {
  const home = scratchFolder("file-lines");
  const [app, other] = [join(home, "app"), join(home, "app2")];
  for (const folder of [app, other]) {
    mkdirSync(folder);
    writeFileSync(join(folder, "a.ts"), "one\ntwo\n");
  }
  symlinkSync(join(other, "a.ts"), join(app, "link.ts"));
  const read = (path: string) => readFileLines(path, [app]);
  expect(read(join(app, "a.ts"))).toEqual(["one", "two"]);
  for (const path of [join(other, "a.ts"), join(app, "../app2/a.ts"), join(app, "link.ts"), app]) {
    expect(() => read(path), path).toThrow(expect.objectContaining({ code: "not_found" }));
  }
  expect(() => readFileLines(join(app, "a.ts"), [])).toThrow("cannot read the file");
  expect(readFileLines(join(other, "a.ts"))).toEqual(["one", "two"]);
});
