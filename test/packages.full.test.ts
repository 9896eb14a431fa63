/** Our packages as they are published: packed, and installed with only the packages that they name. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ADAPTERS, PACKAGES } from "../scripts/packages.ts";
import { examplesIn, packagesOf, runExample, typeProblems } from "./docs/examples.ts";
import { scratchFolder } from "./scratch-folder.ts";

const ROOT = join(import.meta.dirname, "..");
const MODULES = join(ROOT, "node_modules");

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
}

const folder = scratchFolder("packages");

beforeAll(() => {
  run(process.execPath, [join(ROOT, "scripts/pack.ts"), join(folder, "packed")], ROOT);
}, 600_000);

function run(file: string, args: readonly string[], cwd: string): string {
  const env = { PATH: `${MODULES}/.bin:${process.env.PATH}`, HOME: folder, npm_config_offline: "true" };
  return execFileSync(file, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Installs one of our packages with its dependencies, from tarballs and from the packages that `npm ci` installed. */
function install(name: string): string {
  const project = mkdtempSync(join(folder, "project-"));
  const modules = join(project, "node_modules");
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  const add = (one: string): void => {
    const place = join(modules, one);
    if (existsSync(place)) return;
    mkdirSync(place, { recursive: true });
    if (one.startsWith("@continuo/")) {
      const tarball = join(folder, "packed", `${one.slice(1).replace("/", "-")}-${VERSION}.tgz`);
      run("tar", ["-xzf", tarball, "--strip-components=1", "-C", place], folder);
    } else {
      cpSync(join(MODULES, one), place, { recursive: true });
    }
    for (const below of Object.keys(manifestOf(place).dependencies ?? {})) add(below);
  };
  add(name);
  return project;
}

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

function manifestOf(place: string): Manifest {
  return JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
}

function installedIn(project: string): readonly string[] {
  return readdirSync(join(project, "node_modules"), { withFileTypes: true }).flatMap(({ name }) =>
    name.startsWith("@")
      ? readdirSync(join(project, "node_modules", name)).map((inner) => `${name}/${inner}`)
      : [name],
  );
}

function bytesOf(place: string): number {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test("the released command brings no scripts of its own, of which npm would warn", () => {
  const place = mkdtempSync(join(folder, "command-"));
  const tarball = join(folder, "packed", `continuo-${VERSION}.tgz`);
  run("tar", ["-xzf", tarball, "--strip-components=1", "-C", place], folder);
  const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  expect(manifest).toMatchObject({
    name: "continuo",
    version: VERSION,
    bin: { continuo: "bin/continuo.js" },
  });
  expect(manifest).not.toHaveProperty("scripts");
  expect(run(process.execPath, [join(place, "bin/continuo.js"), "--version"], place)).toBe(`${VERSION}\n`);
});

test.each([...PACKAGES, ...ADAPTERS])(
  "no link in the README of @continuo/%s leads out of the package",
  (name) => {
    const tarball = join(folder, "packed", `continuo-${name}-${VERSION}.tgz`);
    const readme = run("tar", ["-xzOf", tarball, "package/README.md"], folder);
    expect(readme).toContain("`ARCHITECTURE.md` of the package `continuo` shows");
    expect(readme).not.toMatch(/\]\((?!https?:|#)/u);
  },
);

test("a program that needs only the store installs three packages of ours and at most four of others", () => {
  const project = install("@continuo/store");
  const names = installedIn(project);
  expect(names.filter((name) => name.startsWith("@continuo/")).sort()).toEqual([
    "@continuo/core",
    "@continuo/files",
    "@continuo/store",
  ]);
  expect(names.filter((name) => !name.startsWith("@continuo/")).length).toBeLessThanOrEqual(4);
  expect(bytesOf(join(project, "node_modules"))).toBeLessThan(12 * 1024 ** 2);
  const program = `
    import { openStore } from "@continuo/store";
    import { runOnce } from "@continuo/store/sessions";
    import { EchoAgent } from "@continuo/store/testing";
    await using store = await openStore("sqlite:" + process.argv[2], { migrate: true });
    const { status } = await runOnce(store, new EchoAgent(), "hello");
    const { items } = await store.listSessions();
    console.log(JSON.stringify({ status, sessions: items.length }));
  `;
  writeFileSync(join(project, "main.mjs"), program);
  const printed = run(process.execPath, ["main.mjs", join(project, "continuo.db")], project);
  expect(JSON.parse(printed)).toEqual({ status: "completed", sessions: 1 });
});

test("a program with only a part of Continuo has the page that an error names, without links to missing pages", () => {
  const project = install("@continuo/store");
  const code = `const { openStore } = await import("@continuo/store");
    try { await openStore("redis://x"); } catch ({ page }) { console.log(page); }`;
  const [file = "", anchor = ""] = run(process.execPath, ["--input-type=module", "-e", code], project)
    .trim()
    .split("#");
  const page = readFileSync(join(project, "node_modules/@continuo/core", file), "utf8");
  expect(page).toContain(`\n## ${anchor}\n`);
  expect(page).not.toMatch(/\]\([\w-]+\.md/u);
});

test("a store on Postgres without the package pg says what to install", () => {
  const project = install("@continuo/store");
  const code = `const { openStore } = await import("@continuo/store");
    try { await openStore("postgres://127.0.0.1:9/none"); } catch ({ code, hint }) { console.log(code, hint); }`;
  expect(run(process.execPath, ["--input-type=module", "-e", code], project)).toContain(
    "unsupported Install it: `npm install pg`.",
  );
});

test("the contract of a client without the package ws says what to install", () => {
  const project = install("@continuo/store");
  const code = `const { clientContract } = await import("@continuo/store/testing");
    const [first] = clientContract(() => { throw new Error("no client is started"); });
    try { await first.run(); } catch ({ code, hint }) { console.log(code, hint); }`;
  expect(run(process.execPath, ["--input-type=module", "-e", code], project)).toContain(
    "unsupported Install it: `npm install ws`.",
  );
});

test("docs/library.md says how many packages come with each part, and how large all of them are", () => {
  const page = readFileSync(join(ROOT, "docs/library.md"), "utf8");
  const rows = [...page.matchAll(/^\| `@continuo\/(\w+)` \| [^|]+ \| (\d+)[^|]* \| ([\d.]+) \|/gmu)];
  const measured = rows.map(([, name = ""]) => {
    const project = install(`@continuo/${name}`);
    const megabytes = bytesOf(join(project, "node_modules")) / 1_000_000;
    return { name, count: installedIn(project).length - 1, megabytes };
  });
  expect(rows.map(([, name, count]) => ({ name, count: Number(count) }))).toEqual(
    measured.map(({ name, count }) => ({ name, count })),
  );
  // A change of the code may make a package a tenth larger before the page is wrong.
  const said = rows.map(([, name, , megabytes]) => ({ name, megabytes: Number(megabytes) }));
  const isRight = measured.map(
    ({ megabytes }, at) => Math.abs(megabytes - (said[at]?.megabytes ?? 0)) < megabytes / 10 + 0.1,
  );
  expect(isRight, JSON.stringify(measured)).toEqual(Array(6).fill(true));
});

test.each(["core", "files", "store", "native", "agents", "live", "server"])(
  "every door of @continuo/%s is loaded, and has its types",
  (name) => {
    const project = install(`@continuo/${name}`);
    const { exports } = manifestOf(join(project, "node_modules/@continuo", name));
    // A program that calls a model through `ai` needs that package, which is the user's own choice.
    const doors = Object.entries(exports).filter(([door]) => door !== "./model-agent");
    for (const [door, { types }] of doors) {
      expect(existsSync(join(project, "node_modules/@continuo", name, types))).toBe(true);
      const specifier = `@continuo/${name}${door.slice(1)}`;
      const code = `console.log(Object.keys(await import("${specifier}")).length)`;
      expect(Number(run(process.execPath, ["--input-type=module", "-e", code], project))).toBeGreaterThan(0);
    }
  },
);

test.each(["core", "files", "store", "native", "agents", "live", "server"])(
  "the examples in the README of @continuo/%s are type-checked, and print what they say, with the packed package",
  async (name) => {
    const project = install(`@continuo/${name}`);
    const examples = examplesIn(`packages/${name}/README.md`);
    for (const one of ["@types/node", ...packagesOf(examples)]) {
      const place = join(project, "node_modules", one);
      mkdirSync(dirname(place), { recursive: true });
      if (!existsSync(place)) symlinkSync(join(MODULES, one), place);
    }
    expect(examples.length).toBeGreaterThan(0);
    expect(await typeProblems(project, examples)).toEqual([]);
    for (const example of examples.filter(({ isRun }) => isRun)) {
      for (const { text, pattern, printed } of await runExample(project, example)) {
        expect(printed, text).not.toEqual([]);
        for (const shown of printed) expect(shown, text).toMatch(pattern);
      }
    }
  },
);

test.each(ADAPTERS)("every door of @continuo/%s is loaded beside its framework", (name) => {
  const project = install(`@continuo/${name}`);
  const framework = join(ROOT, "frameworks", name, "node_modules");
  for (const one of readdirSync(framework)) {
    const place = join(project, "node_modules", one);
    if (!existsSync(place)) symlinkSync(join(framework, one), place);
  }
  const { exports } = manifestOf(join(project, "node_modules/@continuo", name));
  for (const [door, { types }] of Object.entries(exports)) {
    expect(existsSync(join(project, "node_modules/@continuo", name, types))).toBe(true);
    const code = `console.log(Object.keys(await import("@continuo/${name}${door.slice(1)}")).length)`;
    const options = ["--preserve-symlinks", "--input-type=module", "-e", code];
    expect(Number(run(process.execPath, options, project))).toBeGreaterThan(0);
  }
});

/** The others have examples of their types in the documents of `continuo`, or no types. */
const TYPED = ["ag-ui", "langgraph", "mastra", "openai-agents", "tanstack"];

test.each(TYPED)(
  "the examples of the guide for @continuo/%s use all its types, and are type-checked",
  async (name) => {
    const project = install(`@continuo/${name}`);
    const framework = join(ROOT, "frameworks", name, "node_modules");
    const modules = join(project, "node_modules");
    const link = (from: string, one: string): void => {
      if (!existsSync(join(modules, one))) symlinkSync(join(from, one), join(modules, one));
    };
    for (const one of readdirSync(framework).filter((name) => name !== "@types")) link(framework, one);
    mkdirSync(join(modules, "@types"));
    link(MODULES, "@types/node");
    const examples = examplesIn(`docs/guides/${name}.md`);
    expect(await typeProblems(project, examples)).toEqual([]);
    const used = examples.map(({ source }) => source).join("");
    const doors = readFileSync(join(ROOT, "packages", name, "src/index.ts"), "utf8");
    const types = [...doors.matchAll(/\btype (\w+)|export type \{ (\w+) \}/gu)].map(
      ([, one, other]) => one ?? other,
    );
    expect(types).not.toEqual([]);
    expect(types.filter((type) => !used.includes(`: ${type}`))).toEqual([]);
  },
);

test("the tarballs come with their checksums and the bill of materials", () => {
  const packed = join(folder, "packed");
  const sums = readFileSync(join(packed, "SHA256SUMS"), "utf8").trimEnd().split("\n");
  for (const line of sums) {
    const [sum = "", name = ""] = line.split("  ");
    expect(
      createHash("sha256")
        .update(readFileSync(join(packed, name)))
        .digest("hex"),
      name,
    ).toBe(sum);
  }
  expect(sums.map((line) => line.split("  ")[1])).toEqual(
    readdirSync(packed)
      .filter((name) => name !== "SHA256SUMS")
      .sort(),
  );
  expect(sums.length).toBe(PACKAGES.length + ADAPTERS.length + 3);
  const { bomFormat, components } = JSON.parse(readFileSync(join(packed, "sbom.cdx.json"), "utf8"));
  expect([bomFormat, components.length > 20]).toEqual(["CycloneDX", true]);
});
