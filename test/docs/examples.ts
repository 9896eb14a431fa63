/** The TypeScript examples of documents: as they are written, type-checked and run in a project that has the packages. */

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const NOT_RUN = /<!-- checked, not run: [^\n]+ -->\n\n$/u;
const run = promisify(execFile);

export interface Example {
  /** For example `docs/sessions.md:12`. */
  readonly place: string;
  readonly file: string;
  readonly source: string;
  readonly isRun: boolean;
}

export function examplesIn(document: string): readonly Example[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gmu)].map((match) => {
    const before = text.slice(0, match.index);
    const line = before.split("\n").length;
    const file = `${document.replaceAll(/\W/gu, "-")}-${line}.ts`;
    return { place: `${document}:${line}`, file, source: match[1] ?? "", isRun: !NOT_RUN.test(before) };
  });
}

/** The packages that the examples import, without those of Node. */
export function packagesOf(examples: readonly Example[]): readonly string[] {
  const specifiers = examples.flatMap(({ source }) =>
    [...source.matchAll(/\bfrom "((?:@[\w-]+\/)?[\w-]+)(?:\/[\w/-]+)?";/gu)].map(([, name = ""]) => name),
  );
  return [...new Set(specifiers)].filter((name) => name !== "");
}

/**
 * Writes the examples into a project and returns the mistakes that the compiler finds in them, with the settings that
 * `tsc --init` writes and the types of Node, which the page about the library asks for.
 */
export async function typeProblems(
  project: string,
  examples: readonly Example[],
): Promise<readonly string[]> {
  for (const { file, source } of examples) writeFileSync(join(project, file), source);
  await run(process.execPath, [TSC, "--init"], { cwd: project });
  renameSync(join(project, "tsconfig.json"), join(project, "tsconfig.init.json"));
  const config = {
    extends: "./tsconfig.init.json",
    compilerOptions: { types: ["node"], noEmit: true },
    files: examples.map(({ file }) => file),
    include: [],
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
  const checked = await run(process.execPath, [TSC, "-p", project], { cwd: project }).catch((error) => error);
  return checked.stdout.split("\n").filter((line: string) => line !== "");
}

/** Replaces `console.log(`: it prints the line of the call before its text, as JSON. */
const PRINT = `import { format as textOfValues } from "node:util";
const printAt = (line: number, ...values: readonly unknown[]): void => {
  process.stdout.write(\`\${JSON.stringify([line, textOfValues(...values)])}\\n\`);
};
`;

/** A line of an example that says what it prints, and the texts that it printed. */
export interface Promised {
  readonly text: string;
  readonly pattern: RegExp;
  readonly printed: readonly string[];
}

/** Runs an example in a project, with a home of its own. */
export async function runExample(project: string, { file, source }: Example): Promise<readonly Promised[]> {
  const home = mkdtempSync(join(project, "home-"));
  mkdirSync(join(home, "work"));
  const env = { PATH: process.env.PATH, HOME: home, CONTINUO_HOME: join(home, ".continuo") };
  const lines = source.split("\n");
  const program = join(project, file.replace(/\.ts$/u, ".run.ts"));
  const numbered = lines.map((text, line) => text.replace("console.log(", `printAt(${line}, `));
  writeFileSync(program, PRINT + numbered.join("\n"));
  const options = { cwd: join(home, "work"), env, timeout: 60_000 };
  const { stdout } = await run(process.execPath, [program], options);
  const printed = stdout
    .split("\n")
    .flatMap((line): readonly (readonly [number, string])[] =>
      line.startsWith("[") ? [JSON.parse(line)] : [],
    );
  return lines.flatMap((text, line) => {
    const words = /console\.log\(.*\); \/\/ (.+)$/u.exec(text)?.[1];
    if (words === undefined) return [];
    const shown = printed.filter(([at]) => at === line).map(([, one]) => one.replaceAll(/\s+/gu, " "));
    return [{ text, pattern: likeWords(words), printed: shown }];
  });
}

/** `…` stands for any text. */
function likeWords(words: string): RegExp {
  return new RegExp(`^${words.replaceAll(/[$()*+./?[\\\]^{|}]/gu, "\\$&").replaceAll("…", "[^]*")}$`, "u");
}
