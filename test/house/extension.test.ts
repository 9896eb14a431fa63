/**
 * The browser extension is separate from the packages: it uses the DOM, and imports only a few of their entry points.
 */

import { expect, test } from "vitest";
import { readSource } from "./imports.ts";

/** The entry points of our packages that the extension may use: those that run in a browser. */
const DOORS =
  /^@continuo\/(?:core\/(?:client(?:\/live)?|model|transcript|wire)|live\/(?:outline|sentences))$/u;

const files = readSource("extension").filter(({ path }) => !/^(?:node_modules|dist|\.wxt)\//u.test(path));

test("extension/ imports only those entry points of our packages that run in a browser", () => {
  expect(files.length).toBeGreaterThan(20);
  const out = files
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ path, imports }) => imports.map(({ target, file }) => ({ from: path, to: target, file })))
    .filter(({ to, file }) => isOutside(to, file));
  expect(out).toEqual([]);
});

test("nothing in our packages imports the extension", () => {
  const above = readSource().filter(({ imports }) =>
    imports.some(({ file }) => file.startsWith("extension/")),
  );
  expect(above.map(({ path }) => path)).toEqual([]);
});

/** Returns true for a module of Node, another entry point of our packages, or a file elsewhere in the repository. */
function isOutside(to: string, file: string): boolean {
  if (to.startsWith("@continuo/")) return !DOORS.test(to);
  // The manifest of the extension has the version in the `package.json` of the root.
  return to.startsWith("node:") || (file !== "" && file !== "package.json" && !file.startsWith("extension/"));
}

test("every file of extension/ begins with a comment, and has at most 500 lines", () => {
  const wrong = files.filter(({ text }) => !text.startsWith("/**") || text.split("\n").length > 501);
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("only the sealed page makes HTML or code from text, or listens to messages of other pages", () => {
  const makers =
    /innerHTML|outerHTML|insertAdjacent|document\.write|dangerouslySet|srcdoc|\beval\(|new Function|onMessageExternal|onConnectExternal|addEventListener\("message"/u;
  // The sealed page accepts messages only from its parent, and may run any code: its policy allows no connection.
  const sealed = "entrypoints/whisper-frame.ts";
  expect(files.filter(({ text }) => makers.test(text)).map(({ path }) => path)).toEqual([sealed]);
});
