/**
 * The packages of others that come with ours: the bill of materials, and the step that looks for vulnerabilities.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { ROOT, readSource } from "./imports.ts";

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

const OWN: Manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const home = scratchFolder("dependencies");

const env = {
  PATH: process.env.PATH ?? "",
  HOME: home,
  npm_config_offline: "true",
  npm_config_update_notifier: "false",
};

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly unknown[];
  readonly licenses?: readonly unknown[];
}

test("the bill of materials has each package that ships, with version, hash and licence, and no tool of tests", () => {
  const file = join(home, "sbom.json");
  execFileSync(process.execPath, [join(ROOT, "scripts/sbom.ts"), file], { env });
  const bom = JSON.parse(readFileSync(file, "utf8"));
  expect([bom.bomFormat, bom.metadata.component.name]).toEqual(["CycloneDX", OWN.name]);
  const components = bom.components as readonly Component[];
  const versions = new Map(components.map(({ name, version }) => [name, version]));
  for (const [name, version] of Object.entries(OWN.dependencies))
    expect(versions.get(name), name).toBe(version);
  const viewer: Manifest = JSON.parse(readFileSync(join(ROOT, "web/package.json"), "utf8"));
  for (const name of ["commander", "string-width", "ai", "@ai-sdk/anthropic"])
    expect(versions.has(name), name).toBe(true);
  const bundled = Object.entries(viewer.dependencies).filter(([name]) => !name.startsWith("@continuo/"));
  expect(bundled.map(([name]) => name)).toContain("preact");
  for (const [name, version] of bundled) expect(versions.get(name), name).toBe(version);
  // This is an indirect dependency.
  expect(versions.has("pg-protocol")).toBe(true);
  for (const name of ["vitest", "typescript", "playwright-core"])
    expect(versions.has(name), name).toBe(false);
  expect(
    components.filter(({ hashes = [], licenses = [] }) => hashes.length === 0 || licenses.length === 0),
  ).toEqual([]);
});

test("every package that is installed with Continuo is named by source that ships", () => {
  const text = [undefined, "web"].flatMap((folder) =>
    readSource(folder)
      .filter(({ path }) => !path.endsWith(".test.ts"))
      .map((file) => file.text),
  );
  const isNamed = (name: string): boolean =>
    text.some((one) => one.includes(`"${name}"`) || one.includes(`"${name}/`));
  expect(Object.keys(OWN.dependencies).filter((name) => !isNamed(name))).toEqual([]);
});

test("Continuo installs at most twelve packages of others, and no script of anybody runs", () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const installed = new Set(Object.keys(OWN.dependencies));
  for (const name of installed) {
    const { dependencies = {} } = packages[`node_modules/${name}`];
    for (const below of Object.keys(dependencies)) installed.add(below);
  }
  expect(installed.size).toBeGreaterThan(0);
  expect(installed.size).toBeLessThanOrEqual(12);
  const run = [...installed].filter((name) => packages[`node_modules/${name}`].hasInstallScript === true);
  expect(run).toEqual([]);
  for (const script of ["preinstall", "install", "postinstall"])
    expect(OWN.scripts).not.toHaveProperty(script);
});

/** Runs the step before a release with an `npm` that gives these answers. */
function audit(answer: string): { readonly status: number | null; readonly out: string } {
  const npm = join(home, "npm");
  writeFileSync(join(home, "answer"), answer);
  writeFileSync(npm, `#!/bin/sh\n[ "$1 $2" = "audit --json" ] && cat ${join(home, "answer")}\nexit 1\n`);
  chmodSync(npm, 0o755);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "scripts/audit-dependencies.ts")],
    {
      env: { ...env, PATH: `${home}${delimiter}${env.PATH}` },
      encoding: "utf8",
    },
  );
  return { status, out: `${stdout}${stderr}` };
}

test("the step before a release fails for a known vulnerability, and for a registry that does not answer", () => {
  const bad = { severity: "high", range: "<2", fixAvailable: true };
  expect(audit(JSON.stringify({ vulnerabilities: {} }))).toEqual({
    status: 0,
    out: "0 known vulnerabilities\n",
  });
  const found = audit(JSON.stringify({ vulnerabilities: { "some-package": bad } }));
  expect(found).toEqual({ status: 1, out: "high      some-package <2\n1 known vulnerabilities\n" });
  for (const silence of ["", "{}", '{"error":{"code":"ENOTFOUND"}}', "not JSON"])
    expect(audit(silence).status).toBe(2);
});

test("SECURITY.md says how soon dependencies are mended, and names steps that exist", () => {
  const page = readFileSync(join(ROOT, "SECURITY.md"), "utf8");
  const [, section = ""] = page.split("\n## Dependencies\n");
  expect([...section.matchAll(/^\| [^|]+ \| (\d+) days \|$/gmu)].map(([, days]) => Number(days))).toEqual([
    3, 14, 60,
  ]);
  const steps = [...(section.split("\n## ")[0] ?? "").matchAll(/`npm run ([\w:]+)`/gu)].map(
    ([, name = ""]) => name,
  );
  expect(steps.length).toBeGreaterThan(1);
  expect(steps.filter((name) => OWN.scripts[name] === undefined)).toEqual([]);
});
