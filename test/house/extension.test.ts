/** The browser extension is a house of its own beside `src/`: it has the DOM, and sees little of what is below. */

import { posix } from "node:path";
import { expect, test } from "vitest";
import { readSource } from "./imports.ts";

/** What it may use of `src/`: what runs in a browser, by its index. */
const ROOMS = /^\.\.\/src\/(?:client(?:\/live)?|live\/sentences|model|transcript|wire)\/index\.ts$/u;

const files = readSource("extension").filter(({ path }) => !/^(?:node_modules|dist|\.wxt)\//u.test(path));

test("extension/ imports of src/ only what runs in a browser, by its index.ts", () => {
  expect(files.length).toBeGreaterThan(20);
  const out = files
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ path, imports }) => imports.map(({ target, local }) => ({ from: path, to: target, local })))
    .filter(({ to, local }) => to.startsWith("node:") || (local && to.startsWith("..") && !ROOMS.test(to)));
  expect(out).toEqual([]);
});

test("nothing in src/ imports the extension", () => {
  const above = readSource().filter(({ imports }) =>
    imports.some(({ target }) => posix.normalize(target).startsWith("../extension")),
  );
  expect(above.map(({ path }) => path)).toEqual([]);
});

test("every file of extension/ begins with what it is, and has at most 500 lines", () => {
  const wrong = files.filter(({ text }) => !text.startsWith("/**") || text.split("\n").length > 501);
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("no part of the extension makes HTML or code of text, and no part listens to what a page says", () => {
  const makers =
    /innerHTML|outerHTML|insertAdjacent|document\.write|dangerouslySet|srcdoc|\beval\(|new Function|onMessageExternal|onConnectExternal|addEventListener\("message"/u;
  expect(files.filter(({ text }) => makers.test(text)).map(({ path }) => path)).toEqual([]);
});
