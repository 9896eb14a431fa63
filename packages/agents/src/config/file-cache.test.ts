import { hash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { toJsonSchema } from "./json-schema.ts";
import type { Configuration } from "./settings.ts";

const parsed: string[] = [];

vi.mock("./parse.ts", async (original) => {
  const real = await original<typeof import("./parse.ts")>();
  return {
    ...real,
    parseFile: (text: string, file: string) => {
      parsed.push(text);
      return real.parseFile(text, file);
    },
  };
});

// A worker keeps modules between test files, so the modules that use the replaced one are loaded again and then
// removed.
vi.resetModules();
const { MAX_CACHED_FILES, recallContents, rememberContents, SCHEMA_HASH } = await import("./file-cache.ts");
const { readConfiguration } = await import("./read.ts");
afterAll(() => {
  vi.resetModules();
});

let root: string;

beforeEach(() => {
  root = scratchFolder("known");
  mkdirSync(join(root, "app"));
  mkdirSync(join(root, ".continuo"));
  parsed.length = 0;
});

const KNOWN = ".continuo/cache/configuration.json";
const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
const read = (): Promise<Configuration> =>
  readConfiguration({ places: { home: root, env: {}, cwd: join(root, "app") } });

test("the hash is the schema's: after a change of the schema every file is checked again", () => {
  expect(SCHEMA_HASH).toBe(hash("sha256", JSON.stringify(toJsonSchema())).slice(0, 16));
});

test("a file that did not change is not parsed again, and gives the same settings", async () => {
  write(".continuo/continuo.yaml", "agent: pi\nagents: { pi: { model: a } }");
  write("app/continuo.yaml", "agents: { pi: { model: b } }");
  const first = await read();
  expect(parsed).toHaveLength(2);
  expect(await read()).toEqual(first);
  expect(parsed).toHaveLength(2);
  write("app/continuo.yaml", "agents: { pi: { model: c } }");
  expect((await read()).agents.pi?.model).toBe("c");
  expect(parsed).toHaveLength(4);
});

test("without a file nothing is parsed and nothing is written", async () => {
  expect(await read()).toMatchObject({ files: [], problems: [] });
  expect([parsed, existsSync(join(root, KNOWN))]).toEqual([[], false]);
});

test("trust in a project's settings for programs is checked each time, even if the file is in the cache", async () => {
  write("app/continuo.yaml", "agents: { claude: { command: ./evil } }");
  for (const _ of [1, 2]) {
    const { untrusted, agents } = await read();
    expect(untrusted?.state).toBe("never trusted");
    expect(agents.claude?.command).toBe(null);
  }
  expect(parsed).toHaveLength(1);
});

test("each mistake is reported with its position, even if every file is valid by itself", async () => {
  write(".continuo/continuo.yaml", "agents:\n  mine: { model: a }");
  for (const _ of [1, 2]) {
    expect((await read()).problems).toMatchObject([{ line: 2, key: "agents.mine" }]);
  }
  write(".continuo/continuo.yaml", "\nagnt: pi");
  for (const _ of [1, 2]) expect((await read()).problems).toMatchObject([{ line: 2, suggestion: "agent" }]);
  expect(readFileSync(join(root, KNOWN), "utf8")).not.toContain("agnt");
});

test("a file that sets variables is parsed each time, and no key of it is copied", async () => {
  write(".continuo/continuo.yaml", "agents: { pi: { env: { API_KEY: secret } } }");
  write("app/continuo.yaml", "agent: pi");
  for (const _ of [1, 2]) expect((await read()).agents.pi?.env).toEqual({ API_KEY: "secret" });
  expect(parsed).toHaveLength(4);
  expect(readFileSync(join(root, KNOWN), "utf8")).not.toContain("secret");
});

test("a file with MCP servers is parsed each time, and no key of it is copied", async () => {
  write(".continuo/continuo.yaml", "mcp: { servers: { one: { command: x, args: [--key=secret] } } }");
  write("app/continuo.yaml", "agent: pi");
  for (const _ of [1, 2]) expect((await read()).mcpServers.one?.args).toEqual(["--key=secret"]);
  expect(parsed).toHaveLength(4);
  expect(readFileSync(join(root, KNOWN), "utf8")).not.toContain("secret");
});

test.each(["", "{", "[]", '{"schema":"another","files":[]}', `{"schema":"${SCHEMA_HASH}","files":[1,{}]}`])(
  "%j instead of a cache counts as an empty cache",
  async (text) => {
    write(".continuo/continuo.yaml", "agent: pi");
    mkdirSync(join(root, ".continuo/cache"));
    write(KNOWN, text);
    expect((await read()).agent).toBe("pi");
    expect(parsed).toHaveLength(1);
    expect((await read()).agent).toBe("pi");
    expect(parsed).toHaveLength(1);
  },
);

test("at most a fixed number of files is remembered, the newest ones, readable only by this user", () => {
  const home = join(root, ".continuo");
  const hashes = Array.from({ length: MAX_CACHED_FILES + 2 }, (_, at) => String(at));
  for (const sha256 of hashes) rememberContents(home, [{ sha256, content: { agent: "pi" } }]);
  expect(hashes.map((one) => recallContents(home, [one]) !== null)).toEqual(hashes.map((_, at) => at >= 2));
  expect(statSync(join(root, KNOWN)).mode & 0o777).toBe(0o600);
});

test("the file is read even if Continuo has no home yet, or cannot write to it", async () => {
  rmSync(join(root, ".continuo"), { recursive: true });
  write("app/continuo.yaml", "agent: pi");
  expect((await read()).agent).toBe("pi");
  expect(existsSync(join(root, ".continuo"))).toBe(false);
  mkdirSync(join(root, ".continuo"));
  write(".continuo/cache", "a file");
  expect((await read()).agent).toBe("pi");
});
