/**
 * docs/security.md has each requirement once, and each test that it names exists. Further rules are checked in the
 * source.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileOf, ROOT, readSource } from "./imports.ts";

/** The requirements of OWASP ASVS 5.0.0 with their levels, 1 and 2 only, in the order of the standard. */
const LEVELS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "asvs.json"), "utf8"),
);
const PAGE = readFileSync(join(ROOT, "docs/security.md"), "utf8");

interface Row {
  readonly ids: readonly string[];
  readonly levels: string;
  readonly result: string;
}

const ROWS: readonly Row[] = [...PAGE.matchAll(/^\| (V\d[^|]*) \| ([^|]*) \| [^|]+ \| ([^|]+) \|$/gmu)].map(
  ([, cell = "", levels = "", result = ""]) => ({ ids: idsOf(cell), levels, result }),
);

/** The ids of a cell; `V6.2.1–V6.2.12` stands for the requirements in this range that have level 1 or 2. */
function idsOf(cell: string): readonly string[] {
  const [, section, first, last] = /^(V\d+\.\d+)\.(\d+)–\1\.(\d+)$/u.exec(cell) ?? [];
  if (section === undefined) return [cell];
  const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => Number(first) + n);
  return numbers.map((number) => `${section}.${number}`).filter((id) => id in LEVELS);
}

const WORK: readonly string[] = [
  ...(PAGE.split("\n## Work list\n")[1] ?? "").matchAll(/^\| (V[^|]*) \| [^|]+ \|$/gmu),
].flatMap(([, cell = ""]) => cell.split(", "));

const [, ...DEFINED] = PAGE.split(/^(?=\[[^\]]+\]: )/mu);
const TESTS: ReadonlyMap<string, string> = new Map(
  DEFINED.map((line) => /^\[([^\]]+)\]: \.\.\/(\S+)$/u.exec(line.trim())).map((found) => [
    found?.[1] ?? "",
    found?.[2] ?? "",
  ]),
);

/** The tests that a result names, such as `[server/pages]`, if no address follows. */
function testsIn(result: string): readonly string[] {
  return [...result.matchAll(/\[([^\]]+)\](?!\()/gu)].map(([, name = ""]) => name);
}

describe("docs/security.md", () => {
  test("has each requirement of levels 1 and 2 once, in the order of the standard, with its level", () => {
    expect(ROWS.flatMap(({ ids }) => ids)).toEqual(Object.keys(LEVELS));
    const wrong = ROWS.filter(
      ({ ids, levels }) => [...new Set(ids.map((id) => LEVELS[id]))].sort().join(", ") !== levels,
    );
    expect(wrong).toEqual([]);
  });

  test("has a test, a reason or a place in the work list for each requirement", () => {
    const without = ROWS.filter(
      ({ result }) => !/^(?:does not apply|not yet): ./u.test(result) && testsIn(result).length === 0,
    );
    expect(without).toEqual([]);
    const missing = ROWS.filter(({ result }) => result.startsWith("not yet: ")).flatMap(({ ids }) => ids);
    expect(WORK.toSorted()).toEqual(missing.toSorted());
  });

  test("names only tests that exist, and each of them by its path", () => {
    const used = new Set(ROWS.flatMap(({ result }) => testsIn(result)));
    expect([...TESTS.keys()].toSorted()).toEqual([...used].toSorted());
    const fileOfTest = (name: string): string =>
      name.startsWith("src/") ? fileOf(name.slice("src/".length)) : `test/${name}`;
    const wrong = [...TESTS].filter(
      ([name, path]) => `${fileOfTest(name)}.test.ts` !== path || !existsSync(join(ROOT, path)),
    );
    expect(wrong).toEqual([]);
  });

  test("counts its requirements as they are", () => {
    const count = (isIt: (result: string) => boolean): number =>
      ROWS.filter(({ result }) => isIt(result)).flatMap(({ ids }) => ids).length;
    const missing = count((result) => result.startsWith("not yet: "));
    const foreign = count((result) => result.startsWith("does not apply: "));
    const shown = Object.keys(LEVELS).length - missing - foreign;
    const counts = [...PAGE.matchAll(/^\| ([a-z ]+) \| (\d+) \|$/gmu)].map(([, name, n]) => [
      name,
      Number(n),
    ]);
    expect(counts).toEqual([
      ["shown by a test", shown],
      ["does not apply", foreign],
      ["not yet", missing],
    ]);
    expect(PAGE).toContain(`\n${Object.keys(LEVELS).length} requirements of levels 1 and 2`);
  });
});

const source = [undefined, "web", "extension"].flatMap((folder) =>
  readSource(folder)
    .filter(({ path }) => !/^(?:dist|\.wxt)\/|\.test\.tsx?$/u.test(path))
    .map((file) => ({ ...file, path: file.file })),
);

function filesWith(pattern: RegExp): readonly string[] {
  return source.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

function textOf(path: string): string {
  return source.find((file) => file.path === path)?.text ?? "";
}

test("no program makes code of text, except for a constant that a time limit needs", () => {
  expect(filesWith(/\beval\(|new Function\b|\brunIn\w+Context\(|node:vm|import\("data:/u)).toEqual([
    "packages/agents/src/search/scanning/time-limit.ts",
  ]);
  expect(textOf("packages/agents/src/search/scanning/time-limit.ts")).toContain('runInNewContext("run()", ');
});

test("cryptography is that of the runtime, with known algorithms, and SHA-1 only makes names", () => {
  const packages = source.flatMap(({ imports }) => imports.filter(({ local }) => !local));
  const foreign = /crypto|noble|jose|jsonwebtoken|bcrypt|argon|nacl|sodium|forge/u;
  const names = new Set(packages.map(({ target }) => target).filter((target) => foreign.test(target)));
  expect([...names]).toEqual(["node:crypto"]);
  const calls =
    /\b(?:createHash|createHmac|createCipheriv|hkdfSync|generateKeyPairSync|(?<!\.)hash|toHash)\(\s*(?:"([^"]+)"|[^)\s])/gu;
  const uses = source
    .filter(({ text }) => text.includes('from "node:crypto"'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(calls)].map(([, name = "computed"]) => [name, path] as const),
    );
  expect(uses.length).toBeGreaterThan(40);
  const others = [...new Set(uses.filter(([name]) => name !== "sha256").map((use) => use.join(" in ")))];
  expect(others.toSorted()).toEqual([
    // This makes the same ids again, and encrypts nothing.
    "aes-256-ctr in packages/native/src/native/writing/makers.ts",
    "ed25519 in packages/server/src/server/subscriptions/keys.ts",
    "sha1 in packages/agents/src/catalog/follow.ts",
    "sha1 in packages/native/src/index-file/fill.ts",
    // opencode gives a project this hash as its name.
    "sha1 in packages/native/src/native/opencode/project.ts",
  ]);
  expect(filesWith(/\bcrypto\.subtle\b/u)).toEqual(["web/state/proof.ts"]);
  expect(textOf("web/state/proof.ts")).toContain('{ name: "HMAC", hash: "SHA-256" }');
});

test("secrets have at least 128 bits of the system's generator, and only waits and cursors use another one", () => {
  expect(textOf("packages/store/src/store/access.ts")).toContain('randomBytes(32).toString("base64url")');
  expect(textOf("packages/server/src/server/auth/page-keys.ts")).toContain("const start = randomBytes(32);");
  expect(textOf("web/state/proof.ts")).toContain("crypto.getRandomValues(new Uint8Array(16))");
  expect(filesWith(/Math\.random\b/u)).toEqual([
    "packages/store/src/channels/handles.ts",
    "packages/core/src/client/live/client.ts",
    "packages/core/src/client/live/feed.ts",
    "packages/core/src/client/requests/back-off.ts",
    "packages/files/src/lock.ts",
    "packages/server/src/server/streams/read.ts",
    "packages/server/src/server/streams/sse.ts",
    "packages/store/src/store/postgres/connections.ts",
    "packages/store/src/store/s3/client.ts",
    "packages/store/src/store/sqlite/engine.ts",
    "packages/store/src/store/sqlite/group-commit.ts",
    "packages/store/src/store/sqlite/open.ts",
  ]);
});

test("the viewer takes messages from its own worker and from no other window", () => {
  const listeners = filesWith(/addEventListener\(\s*["']message["']|\bonmessage(?:error)?\b/u);
  expect(listeners.filter((path) => path.startsWith("web/"))).toEqual([
    "web/colour/colour.ts",
    "web/colour/worker.ts",
  ]);
  expect(textOf("web/colour/colour.ts")).toContain('started?.addEventListener("message", ');
});

test("docs/server.md names each algorithm that the code uses, the life of each key, and how it is replaced", () => {
  const page = readFileSync(join(ROOT, "docs/server.md"), "utf8");
  const [, section = ""] = page.split("\n## Keys and algorithms\n");
  const [table = ""] = section.split("\n## ", 1);
  const rows = [...table.matchAll(/^\| (.+) \|$/gmu)].map(([, row = ""]) => row.split(" | "));
  expect(rows.filter((cells) => cells.length !== 5 || cells.some((cell) => cell.trim() === ""))).toEqual([]);
  const named: Readonly<Record<string, RegExp>> = {
    "SHA-256": /"sha256"/u,
    "SHA-1,": /"sha1"/u,
    Ed25519: /"ed25519"/u,
    "AES-256-CTR": /"aes-256-ctr"/u,
    "HMAC-SHA-256": /\bcreateHmac\("sha256"|name: "HMAC"/u,
    "HKDF-SHA-256": /\bhkdfSync\("sha256"/u,
    "256 random bits": /\brandomBytes\(32\)/u,
    "128 random bits": /getRandomValues\(new Uint8Array\(16\)\)/u,
  };
  for (const [name, use] of Object.entries(named)) {
    expect([name, filesWith(use).length > 0, table.includes(name)]).toEqual([name, true, true]);
  }
  // Any other function of the runtime that makes keys or codes must be listed here and in the table.
  const makers =
    /\b(?:createCipheriv|createDecipheriv|createSign|createECDH|createDiffieHellman|pbkdf2|scrypt|publicEncrypt|generateKey|argon2)\w*\(/gu;
  const used = source.flatMap(({ text }) => [...text.matchAll(makers)].map(([call]) => call));
  expect([...new Set(used)].toSorted()).toEqual(["createCipheriv(", "generateKeyPairSync("]);
});
