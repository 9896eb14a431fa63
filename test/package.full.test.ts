/**
 * The published package: it is packed as `npm publish` packs it, and used where only its dependencies are installed.
 */

import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, test } from "vitest";
import { SCHEMA_VERSION } from "../packages/store/src/store/schema/index.ts";
import { type InstalledPackage, installPackage, MODULES, manifest, runOffline } from "./installed-package.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { sampleStore, writeOlderStore } from "./store/harness/older-store.ts";

const ROOT = join(import.meta.dirname, "..");

const entries = Object.entries(manifest.exports).flatMap(([name, entry]) =>
  typeof entry === "string" ? [] : [{ specifier: name.replace(/^\./u, "continuo"), ...entry }],
);

const folder = scratchFolder("package");
let user: string;
let installed: string;
/** The tarball, in the folder in which it was made. */
let archive: string;

let link: InstalledPackage["link"];

const run = (file: string, args: readonly string[], cwd: string): string =>
  runOffline(folder, file, args, cwd);

function node(code: string): string {
  return run(process.execPath, ["--input-type=module", "-e", code], user);
}

beforeAll(async () => {
  ({ user, installed, archive, link } = await installPackage(folder));
}, 600_000);

test.each(entries)("$specifier is loaded, and has its types", ({ specifier, types }) => {
  expect(existsSync(join(installed, types))).toBe(true);
  expect(Number(node(`console.log(Object.keys(await import("${specifier}")).length)`))).toBeGreaterThan(0);
});

test("nothing else of it can be loaded", () => {
  expect(() => node(`await import("continuo/dist/index.js")`)).toThrow("ERR_PACKAGE_PATH_NOT_EXPORTED");
});

test("its types hold for a project that checks strictly", () => {
  for (const name of ["@types/node", "ai"]) link(name);
  const imports = entries.map(({ specifier }, at) => `export * as entry${at} from "${specifier}";`);
  writeFileSync(join(user, "index.ts"), imports.join("\n"));
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
  const target = ["--target", "es2024", "--lib", "es2024,esnext.disposable,dom,dom.asynciterable"];
  const compiler = join(MODULES, "typescript/bin/tsc");
  const options = ["--noEmit", "--module", "nodenext", "--types", "node", ...strict, ...target];
  const checked = spawnSync(process.execPath, [compiler, ...options, "index.ts"], {
    cwd: user,
    encoding: "utf8",
  });
  // Mistakes in other packages are not ours: the types of `ai` fail without some of these options.
  const ours = checked.stdout
    .split("\n")
    .filter((line) => /^(?:node_modules\/continuo\/|index\.ts)/u.test(line));
  expect(checked.stdout).not.toContain("TS2307");
  expect(ours).toEqual([]);
});

describe("a sample of the page about the library", () => {
  const page = readFileSync(join(ROOT, "docs/library.md"), "utf8");
  const samples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gmu)].map(([, code = ""]) => code);

  test("compiles with the settings that `tsc --init` writes", () => {
    const place = join(user, "samples");
    mkdirSync(place);
    const compiler = join(MODULES, "typescript/bin/tsc");
    run(process.execPath, [compiler, "--init"], place);
    for (const [at, code] of samples.entries()) writeFileSync(join(place, `sample-${at}.ts`), code);
    const checked = spawnSync(process.execPath, [compiler, "--noEmit"], { cwd: place, encoding: "utf8" });
    expect(checked.stdout).toBe("");
    expect(samples).toHaveLength(3);
  });

  test("runs, and says in a sentence that no session, or no agent, is there", () => {
    const said = samples.map((code, at) => {
      const file = join(user, `run-${at}.ts`);
      writeFileSync(file, code);
      const env = { HOME: join(folder, "nobody"), PATH: "/usr/bin:/bin" };
      return execFileSync(process.execPath, [file], { cwd: user, env, encoding: "utf8" });
    });
    expect(said).toEqual([
      "Where is my order?\n",
      "No agent has left a session on this machine.\n",
      "The run failed: Claude Code is not installed: there is no program claude\n",
    ]);
  });
});

test("the command runs, with its examples and its documentation", () => {
  const command = join(installed, "bin/continuo.js");
  const version = run(process.execPath, [command, "--version"], user);
  expect(version.trim()).toBe(manifest.version);
  const listed = JSON.parse(run(process.execPath, [command, "session", "list", "--json"], user));
  expect(listed).toEqual([]);
  for (const name of ["docs/continuo.schema.json", "examples/continuo.yaml", "LICENSE", "PROTOCOL.md"]) {
    expect(existsSync(join(installed, name)), name).toBe(true);
  }
});

test("the schemas of the protocol are loaded by name", () => {
  const read = (name: string): string =>
    `(await import("continuo/protocol/${name}.json", { with: { type: "json" } })).default`;
  expect(node(`console.log(${read("channel")}.$defs.HelloFrame.type)`)).toBe("object\n");
  expect(node(`console.log(${read("constants")}.protocol)`)).toBe("1\n");
  const names = readdirSync(join(installed, "protocol"));
  expect(names).toEqual([
    "channel.json",
    "constants.json",
    "events.json",
    "examples.json",
    "http.json",
    "live.json",
  ]);
});

test("the conformance program runs a client in another language", () => {
  const client = join(installed, "examples/channel_client_conformance.py");
  const args = [join(installed, "bin/conformance.js"), "--only", "CLIENT-4", "--", "python3", "-B", client];
  expect(run(process.execPath, args, user)).toMatch(/^ok {6}CLIENT-4: .+\n1 passed, 0 failed\n$/u);
});

test("the installed command refuses the store of an earlier version, and brings it up to date with a copy", async () => {
  const home = join(folder, "older");
  mkdirSync(home);
  const path = join(home, "continuo.db");
  await writeOlderStore(path, await sampleStore(), 2);
  const continuo = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(installed, "bin/continuo.js"), ...args],
      { env: { PATH: process.env.PATH, HOME: folder, CONTINUO_HOME: home }, encoding: "utf8" },
    );
    return { status, stdout, stderr };
  };
  const list = ["session", "list", "--agent", "continuo", "--json"];
  const refused = continuo(...list);
  expect(refused).toMatchObject({ status: 1, stdout: "[]\n" });
  expect(refused.stderr).toContain("Run `continuo store migrate`");
  const copy = `${path}.before-migration-2`;
  expect(continuo("store", "migrate")).toMatchObject({ status: 0, stderr: "" });
  expect(existsSync(copy)).toBe(true);
  const listed = continuo(...list);
  expect(listed).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ agent: "continuo", sessionId: "s", title: "T" }]);
  expect(JSON.parse(continuo("store", "info", "--json").stdout)).toMatchObject({
    schemaVersion: SCHEMA_VERSION,
    events: 7,
  });
});

interface Bundling {
  readonly input: string;
  readonly place: string;
  readonly platform: "node" | "browser";
}

const external = Object.keys(manifest.peerDependencies);

/** Bundlers that make one file, and put modules that are loaded on demand next to it. */
const BUNDLERS: readonly (readonly [name: string, bundle: (bundling: Bundling) => Promise<void>])[] = [
  [
    "rolldown",
    async ({ input, place, platform }) => {
      await using bundle = await rolldown({ input, platform, external, cwd: user, logLevel: "silent" });
      await bundle.write({ dir: place, entryFileNames: "app.mjs", minify: true });
    },
  ],
  [
    "esbuild",
    async ({ input, place, platform }) => {
      const page = readFileSync(join(ROOT, "docs/library.md"), "utf8");
      const [, banner = ""] = /--banner:js='([^']+)'/u.exec(page) ?? [];
      const outputs = [`--outdir=${place}`, "--entry-names=app", "--out-extension:.js=.mjs", "--minify"];
      const inputs = [
        "--bundle",
        "--format=esm",
        "--splitting",
        `--platform=${platform}`,
        "--log-level=error",
      ];
      const others = external.map((name) => `--external:${name}`);
      const node = platform === "node" ? [`--banner:js=${banner}`] : [];
      run(join(MODULES, ".bin/esbuild"), [input, ...inputs, ...outputs, ...others, ...node], user);
    },
  ],
];

/** `connect` in a page, in kB, as docs/library.md says it. */
const CONNECT_KB = Number(
  /`connect` of `continuo\/client` (\d+) kB/u.exec(readFileSync(join(ROOT, "docs/library.md"), "utf8"))?.[1],
);

/** The largest size in kB of everything that an entry point loads, including packages of others. */
const MOST_KB: Readonly<Record<string, number>> = {
  // The address of an error's page, and the check of an agent's output, took 1,000 bytes; the advice of a dead letter and
  // the id in a conflict 800, the names of parts that a model does not take, limits of replays and the estimate of tokens
  // 6,000. Replays that leave out what no person said, actions of clients with known fields, and the bound of waiting
  // events added 4,000. Definitions of tools in logs and data sets, ends of logins, and questions that are only in a log
  // added 5,200, MCP servers of a file and the forms of replays 2,500. Forms of three agents, edits that a question shows,
  // renewed tokens, rights that are asked for again, masked pages and the parts that an import leaves added 14,500.
  // Calls that a crash lost, bots over HTTP, and turns that pi ends before they begin added 600.
  continuo: 2_850,
  "continuo/agents": 1_700,
  "continuo/sessions": 150,
  "continuo/store": 510,
  // The code `run_ended` of errors added 40 bytes, and missed messages for people 300. The method `answer` of bots
  // added 2,900, the limit of agents' messages that the server counts 500, the time until a handle is free 200, and a
  // socket of the caller's own with hints that are only for programs 300. `openChannel`, with the list of messages that
  // it keeps, added 4,900, `openChat` with its list 7,400, and answers that wait, with one rule for servers that redirect, 400.
  // The reason why a connection cannot be loaded, and an open chat that outlives a redirect, added 200, and
  // ends that each caller waits for 50. A token that is renewed after a refusal took 60 more than shorter code had saved.
  "continuo/client": 56.3,
  "continuo/client/live": 16,
  "continuo/live": 850,
  "continuo/server": 1_700,
  "continuo/testing": 230,
  "continuo/model-agent": 34,
  // The estimate of tokens and the neutral words about failures added 1,100, definitions of tools 950.
  "continuo/transcript": 94.5,
  "continuo/ai-sdk": 16,
};

describe.each(BUNDLERS)("a program that %s bundles", (name, bundle) => {
  /** @returns the folder of the bundle, which has no package.json and none above it */
  async function bundled(code: string, platform: "node" | "browser"): Promise<string> {
    const place = mkdtempSync(join(folder, "app-"));
    const input = join(user, `${basename(place)}.js`);
    writeFileSync(input, code);
    await bundle({ input, place, platform });
    return place;
  }

  function bytesIn(place: string): number {
    return readdirSync(place).reduce((sum, name) => sum + statSync(join(place, name)).size, 0);
  }

  /** The code that is loaded before anything runs: a bundler puts what is loaded on demand into other files. */
  function firstLoad(place: string): string {
    const files = new Set(["app.mjs"]);
    let text = "";
    for (const file of files) {
      const code = readFileSync(join(place, file), "utf8");
      text += code;
      for (const [, name = ""] of code.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+)"/gu)) files.add(name);
    }
    return text;
  }

  function start(cwd: string): string {
    const app = spawnSync(process.execPath, ["app.mjs"], { cwd, encoding: "utf8", timeout: 60_000 });
    expect({ status: app.status, stderr: app.stderr }).toEqual({ status: 0, stderr: "" });
    return app.stdout;
  }

  test.each(entries)(
    "$specifier starts in a folder without a package.json above it",
    async ({ specifier }) => {
      const code = `import * as all from "${specifier}"; console.log(Object.keys(all).length);`;
      const place = await bundled(code, "node");
      expect(Number(start(place))).toBeGreaterThan(0);
      expect(bytesIn(place) / 1_000).toBeLessThan(MOST_KB[specifier] ?? 0);
    },
  );

  test("a product with a store, a server and a channel works, though it waits at its top level", async () => {
    const code = `
      import { createServer } from "node:http";
      import { openContinuo } from "continuo";
      import { connect } from "continuo/client";
      import { toNodeListener } from "continuo/server";
      import { EchoAgent } from "continuo/testing";
      const c = await openContinuo("sqlite:./app.db", { agents: [new EchoAgent()], recover: "retry" });
      const { text } = await c.session("s", { create: true }).send("hello", { id: "1" }).result();
      const rights = { sessions: "*", channels: "*", access: "write", by: "ann" };
      const handler = c.handler({ authorize: () => rights });
      const { status } = await handler(new Request("http://localhost/v1/sessions/s"));
      const http = createServer(toNodeListener(handler)).on("upgrade", handler.upgrade);
      await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
      const serverUrl = "http://127.0.0.1:" + http.address().port;
      const ann = await connect({ serverUrl, channel: "team", handle: "ann", token: "ann" });
      const { messageId } = await ann.send("hello");
      await ann.close();
      await c.close();
      http.close();
      console.log(text, status, typeof messageId);
    `;
    expect(start(await bundled(code, "node"))).toBe("hello 200 string\n");
  });

  // esbuild also writes code that only an uncalled function would load.
  if (name === "rolldown")
    test("a program for Node takes only what it uses", async () => {
      const place = await bundled('import { textOf } from "continuo"; console.log(textOf([]));', "node");
      expect(bytesIn(place)).toBeLessThan(1_000);
    });

  test.each([
    ['import { textOf } from "continuo"; console.log(textOf([]));', 1_000],
    ['import { isContinuoError, ContinuoError } from "continuo"; console.log(isContinuoError(0));', 12_000],
    ['import { toModelMessages } from "continuo/model-agent"; console.log(toModelMessages([]));', 12_000],
    ['import { ContinuoChatTransport } from "continuo/ai-sdk"; console.log(ContinuoChatTransport);', 16_000],
    ['import { connect } from "continuo/client"; console.log(connect);', CONNECT_KB * 1_000 + 500],
  ])("%s takes only what it uses, in a browser too", async (code, mostBytes) => {
    const place = await bundled(code, "browser");
    const text = firstLoad(place);
    expect(text).not.toMatch(/node:|\brequire\(/u);
    expect(text.length).toBeLessThan(mostBytes);
    start(place);
  });
});

test("it holds no test and no name of a folder of the machine that made it", () => {
  const files = run("tar", ["-tzf", archive], folder).split("\n");
  expect(files.filter((name) => /\.test\.|\/test\//u.test(name))).toEqual([]);
  expect(new Set(files.filter(Boolean).map((name) => name.split("/")[1]))).toEqual(
    new Set([...manifest.files, "package.json"].map((name) => name.replace(/^!/u, "").split("/")[0])),
  );
  const maker = archive.startsWith(folder) ? folder : dirname(archive);
  const naming = execFileSync("sh", ["-c", `grep -rlF "$1" . || :`, "sh", maker], {
    cwd: installed,
    encoding: "utf8",
  });
  expect(naming).toBe("");
});
