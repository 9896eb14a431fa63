/** Every example of README and docs is type-checked, and run unless the document says what it needs. */

import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { fromSource } from "./example-source.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Inside of the package, so that the types of Node are found. */
const FOLDER = mkdtempSync(join(import.meta.dirname, ".examples-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));

interface Example {
  /** `docs/sessions.md:12` */
  readonly place: string;
  readonly path: string;
  readonly isRun: boolean;
}

const DOCUMENTS = [
  "README.md",
  ...["docs", "docs/guides"].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ),
  ...readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/README.md`),
];
const NOT_RUN = /<!-- checked, not run: [^\n]+ -->\n\n$/u;

function examplesIn(document: string): readonly Example[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gmu)].map((match) => {
    const line = text.slice(0, match.index).split("\n").length;
    const path = join(FOLDER, `${document.replaceAll(/\W/gu, "-")}-${line}.ts`);
    writeFileSync(path, fromSource(match[1] ?? ""));
    return { place: `${document}:${line}`, path, isRun: !NOT_RUN.test(text.slice(0, match.index)) };
  });
}

const EXAMPLES = DOCUMENTS.filter((name) => name.endsWith(".md")).flatMap(examplesIn);
const run = promisify(execFile);

test("every example of the documents is type-checked with the settings that `tsc --init` writes", async () => {
  expect(EXAMPLES.length).toBeGreaterThan(8);
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "--init"], { cwd: FOLDER });
  renameSync(join(FOLDER, "tsconfig.json"), join(FOLDER, "tsconfig.init.json"));
  const config = {
    extends: "./tsconfig.init.json",
    // The page about the library says that the types of Node are needed. The other settings are needed because the
    // examples import the sources instead of the package.
    compilerOptions: { types: ["node"], allowImportingTsExtensions: true, noEmit: true },
    files: EXAMPLES.map(({ path }) => path),
    include: [],
  };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(config));
  const checked = run(process.execPath, [tsc, "--noEmit", "-p", FOLDER], { cwd: FOLDER }).catch(
    (error) => error,
  );
  // Errors in our sources do not count: they have other settings, and a reader gets only their types.
  const lines = (await checked).stdout.split("\n").filter((line: string) => /^[\w.-]+\.ts\(/u.test(line));
  expect(lines).toEqual([]);
});

test.each(EXAMPLES.filter(({ isRun }) => isRun))("the example at $place runs", async ({ path }) => {
  const home = mkdtempSync(join(FOLDER, "home-"));
  mkdirSync(join(home, "work"));
  const env = { PATH: process.env.PATH, HOME: home, CONTINUO_HOME: join(home, ".continuo") };
  const { stdout } = await run(process.execPath, [path], { cwd: join(home, "work"), env, timeout: 60_000 });
  // A line that promises an output prints it.
  for (const [, words = ""] of readFileSync(path, "utf8").matchAll(/console\.log\(.*\); \/\/ (.+)$/gmu)) {
    if (!words.includes("…")) expect(stdout).toContain(words);
  }
});
