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
  readonly source: string;
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
    const source = fromSource(match[1] ?? "");
    writeFileSync(path, source);
    return { place: `${document}:${line}`, path, source, isRun: !NOT_RUN.test(text.slice(0, match.index)) };
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

/** In the place of `console.log(`: prints the line of the call before its text, as JSON. */
const PRINT = `import { format as textOfValues } from "node:util";
const printAt = (line: number, ...values: readonly unknown[]): void => {
  process.stdout.write(\`\${JSON.stringify([line, textOfValues(...values)])}\\n\`);
};
`;

test.each(EXAMPLES.filter(({ isRun }) => isRun))(
  "the example at $place prints what it says",
  async ({ path, source }) => {
    const home = mkdtempSync(join(FOLDER, "home-"));
    mkdirSync(join(home, "work"));
    const env = { PATH: process.env.PATH, HOME: home, CONTINUO_HOME: join(home, ".continuo") };
    const lines = source.split("\n");
    const program = path.replace(/\.ts$/u, ".run.ts");
    writeFileSync(program, PRINT + lines.map(withItsLine).join("\n"));
    const { stdout } = await run(process.execPath, [program], {
      cwd: join(home, "work"),
      env,
      timeout: 60_000,
    });
    const printed = Map.groupBy(printedIn(stdout), ([line]) => line);
    const promised = lines.flatMap((text, line) => {
      const words = /console\.log\(.*\); \/\/ (.+)$/u.exec(text)?.[1];
      return words === undefined ? [] : [{ text, line, words }];
    });
    for (const { text, line, words } of promised) {
      const texts = (printed.get(line) ?? []).map(([, shown]) => shown);
      expect(texts, text).not.toEqual([]);
      for (const shown of texts) expect(shown.replaceAll(/\s+/gu, " "), text).toMatch(likeWords(words));
    }
  },
);

function withItsLine(text: string, line: number): string {
  return text.replace("console.log(", `printAt(${line}, `);
}

function printedIn(stdout: string): readonly (readonly [line: number, text: string])[] {
  return stdout.split("\n").flatMap((line) => (line.startsWith("[") ? [JSON.parse(line)] : []));
}

/** `…` stands for any text. */
function likeWords(words: string): RegExp {
  return new RegExp(`^${words.replaceAll(/[$()*+./?[\\\]^{|}]/gu, "\\$&").replaceAll("…", "[^]*")}$`, "u");
}
