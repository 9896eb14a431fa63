import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderOf, ROOT, readSource } from "./imports.ts";

const source = readSource();
const production = source.filter((file) => !file.path.endsWith(".test.ts"));

describe("the house is tidy", () => {
  test("no file is longer than 500 lines", () => {
    const files = [...source, ...readSource("test"), ...readSource("scripts")];
    expect(files.filter((file) => file.text.split("\n").length > 501).map((file) => file.path)).toEqual([]);
  });

  test("the linter holds functions to 70 lines", () => {
    const biome = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8"));
    expect(biome.linter.rules.complexity.noExcessiveLinesPerFunction).toEqual({
      level: "error",
      options: { maxLines: 70 },
    });
  });

  test("every folder has one index.ts that says what it is, promises and does not know", () => {
    const folders = new Set(production.map((file) => folderOf(file.path)));
    const missing = [...folders].filter((folder) => {
      if (folder === "") return false;
      const index = production.find((file) => file.path === `${folder}/index.ts`);
      return index === undefined || !/^\/\*\*[\s\S]*? \* Promises[\s\S]*?Does not know: /u.test(index.text);
    });
    expect(missing).toEqual([]);
  });

  test("every file begins with what it is", () => {
    expect(production.filter((file) => !file.text.startsWith("/**")).map((file) => file.path)).toEqual([]);
  });

  test("no type has a participle as its name", () => {
    const participles =
      /\b(?:class|interface|type) (?:Asked|Attached|Begun|Conducted|Cutting|Examining|Exported|Grouped|HandingOver|Heard|Hearing|Held|Joined|Keeping|Kept|Made|Performing|Pressed|Said|Scanned|Scanning|TakenUp|Taking|Telling|Told|Unheard|Waking)\b/u;
    expect(production.filter(({ text }) => participles.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("no type is called Whole, News or Going", () => {
    const riddles =
      /\b(?:class|interface|type) (?:Asking|Beginning|Copied|Emptied|Ended|Followed|Following|Forked|Found|Going|Known|Landing|Lying|News|Parsing|Prompted|Received|Running|Saying|Seen|Serving|Spent|Starting|Translating|Trashed|Waiting|Whereabouts|Whole|Woken|Working)\b/u;
    expect(production.filter(({ text }) => riddles.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("no file has a participle as its name", () => {
    const participles =
      /\/(?:asked|beside|changed|compressed|exported|found|grown|handed|heard|joined|kept|matching|named|news|opened|opening|outgoing|pairing|reading|recording|replaced|saved|saying|searching|seen|shown|spoken|taken|taking|telling|told|typed|unheard|waiting)\.ts$/u;
    expect(production.map(({ path }) => path).filter((path) => participles.test(path))).toEqual([]);
  });

  test("no folder has a name that says nothing, such as utils or helpers", () => {
    const vague = /(^|\/)(utils?|common|helpers?|misc|lib|shared)(\/|\.ts$)/u;
    expect(source.map((file) => file.path).filter((path) => vague.test(path))).toEqual([]);
  });

  test("no object is spread only to keep lines together", () => {
    const files = [undefined, "web", "extension", "test"].flatMap((folder) => readSource(folder));
    expect(files.filter(({ text }) => /\.\.\.\{\s+\w/u.test(text)).map(({ file }) => file)).toEqual([]);
  });

  test("no check is switched off, and no work is left as a TODO", () => {
    const marks = /@ts-ignore|@ts-expect-error|@ts-nocheck|\bTODO\b|\bFIXME\b|\.(only|skip)\(/u;
    expect(source.filter((file) => marks.test(file.text)).map((file) => file.path)).toEqual([]);
  });

  test("a value of a session is one quoted word in a command that a person may paste", () => {
    // An agent's name and a path's kind are known words, which need no quotes.
    const unquoted =
      /continuo [a-z ]+(?:--[a-z]+ )?\$\{(?!(?:visibleLine\()?shellWord\(|name\}\\`|unknown\.agent)/u;
    expect(production.filter(({ text }) => unquoted.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("only one file makes folders and replaces files, so that both always survive a power cut", () => {
    const calls = /\b(?:mkdirSync|renameSync)\b|\bfs\.(?:promises\.)?(?:mkdir|rename)\b/u;
    const imports = /\bimport \{[^}]*\b(?:mkdir|rename)\b[^}]*\} from "node:fs/u;
    const makers = production.filter(({ text }) => calls.test(text) || imports.test(text));
    expect(makers.map(({ path }) => path)).toEqual(["files/durable.ts"]);
  });

  test("no file exports a value that no other file names", () => {
    const files = [undefined, "web", "extension", "bench", "scripts", "test"].flatMap((folder) =>
      readSource(folder),
    );
    const texts = [...files.map(({ text }) => text), readFileSync(join(ROOT, "vitest.config.ts"), "utf8")];
    const filesOf = new Map<string, number>();
    for (const text of texts) {
      for (const word of new Set(text.match(/[\w$]+/gu))) filesOf.set(word, (filesOf.get(word) ?? 0) + 1);
    }
    const value = /^export (?:async )?(?:const|function\*?|(?:abstract )?class) ([\w$]+)/gmu;
    const unused = files.flatMap(({ file, text }) =>
      [...text.matchAll(value)].flatMap(([, name = ""]) =>
        (filesOf.get(name) ?? 0) > 1 ? [] : [`${file}: ${name}`],
      ),
    );
    expect(unused).toEqual([]);
  });

  test("every version in package.json is exact", () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/u.test(String(version)),
    );
    expect(loose).toEqual([]);
  });

  test("a test that replaces a module loads what imports it again, before and after", () => {
    const tests = [...source, ...readSource("test")].filter(({ text }) =>
      /^vi\.(?:do)?[mM]ock\(/mu.test(text),
    );
    expect(tests.length).toBeGreaterThan(0);
    const careless = tests.filter(({ text }) => text.split("vi.resetModules()").length < 3);
    expect(careless.map(({ path }) => path)).toEqual([]);
  });
});
