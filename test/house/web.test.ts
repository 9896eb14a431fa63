/** The viewer's page is a house of its own beside `src/`: it has the DOM, and sees little of what is below. */

import { execFile } from "node:child_process";
import { join, posix } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT, readSource } from "./imports.ts";

/** What a page may use of `src/`: what runs in a browser, by its index. */
const ROOMS = /^\.\.\/src\/(?:client(?:\/live)?|model|transcript(?:\/html)?|wire(?:\/machine)?)\/index\.ts$/u;

const files = readSource("web");
const imports = files.flatMap((file) =>
  file.imports.map((one) => ({
    from: file.path,
    to: one.local ? one.target : one.target.startsWith("node:") ? "node" : "package",
  })),
);

test("web/ imports of src/ only what runs in a browser, by its index.ts", () => {
  expect(files.length).toBeGreaterThan(2);
  const out = imports.filter(({ to }) => to === "node" || (to.startsWith("..") && !ROOMS.test(to)));
  expect(out.filter(({ from }) => !from.endsWith(".test.ts"))).toEqual([]);
});

test("nothing in src/ imports the page", () => {
  const above = readSource().flatMap((file) =>
    file.imports.filter(({ target }) => posix.normalize(target).startsWith("../web")).map(() => file.path),
  );
  expect(above).toEqual([]);
});

test("every file of web/ begins with what it is, and has at most 500 lines", () => {
  const wrong = files.filter(
    ({ path, text }) =>
      (!path.endsWith(".test.ts") && !text.startsWith("/**")) || text.split("\n").length > 501,
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("HTML is made of text in one place", () => {
  const makers = /innerHTML|outerHTML|insertAdjacent|document\.write|createPolicy|dangerouslySet|srcdoc/u;
  expect(files.filter(({ text }) => makers.test(text)).map(({ path }) => path)).toEqual([
    "content/trusted-html.ts",
  ]);
});

test("web/ has the types of a browser, and none of Node", async () => {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const run = promisify(execFile)(process.execPath, [compiler, "--noEmit", "-p", "web"], { cwd: ROOT });
  await expect(run).resolves.toMatchObject({ stdout: "" });
});
