/**
 * The entry for the protocol's registry of agents, by the rules of the registry's own checks: the fields of an entry, the icon,
 * and the way to log in that an agent names when it is started in an empty home.
 */

import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { withEntryVersion } from "../../scripts/release/versions.ts";
import { type Json, Wire } from "../acp/conformance/wire.ts";
import { cleanEnv, createHome, MAIN } from "../cli/home.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "docs/registry/continuo");

/** The fields that the registry accepts. Other fields are refused, so that a wrong name is found. */
const ENTRY = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/u),
  name: z.string().min(1),
  version: z.string().regex(/^\d+\.\d+\.\d+$/u),
  description: z.string().min(1),
  repository: z.url().optional(),
  website: z.url().optional(),
  authors: z.array(z.string()).optional(),
  license: z.string().optional(),
  distribution: z.strictObject({
    npx: z.strictObject({ package: z.string().min(1), args: z.array(z.string()).optional() }),
  }),
});

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const written = JSON.parse(readFileSync(join(FOLDER, "agent.json"), "utf8"));

test("the entry has the fields that the registry takes, and starts this version of the package", () => {
  const entry = ENTRY.parse(written);
  expect(readdirSync(FOLDER).sort()).toEqual(["agent.json", "icon.svg"]);
  expect(entry.id).toBe(basename(FOLDER));
  expect(entry).toMatchObject({ version: manifest.version, license: manifest.license });
  expect(entry.distribution.npx).toEqual({
    package: `${manifest.name}@${manifest.version}`,
    args: ["acp"],
  });
  // A package with several commands runs the one of its own name.
  expect(Object.keys(manifest.bin)).toContain(manifest.name);
});

test("a release sets the version of the entry and of its package", () => {
  const next = ENTRY.parse(withEntryVersion(written, "1.2.3"));
  expect(next).toEqual({
    ...written,
    version: "1.2.3",
    distribution: { npx: { package: "continuo@1.2.3", args: ["acp"] } },
  });
});

test("the icon is a square of 16 pixels in the colour of the text around it", () => {
  const icon = readFileSync(join(FOLDER, "icon.svg"), "utf8");
  const [root = ""] = icon.match(/^<svg [^>]*>/u) ?? [];
  expect(root).toContain(' width="16" height="16" viewBox="0 0 16 16"');
  expect(icon).not.toMatch(/<!--|<style|style=|<script|href=/u);
  const colours = [...icon.matchAll(/(?:fill|stroke)="([^"]*)"/gu)].map(([, colour = ""]) => colour);
  expect([...new Set(colours)].sort()).toEqual(["currentColor", "none"]);
  // Every element has both attributes, because an element without them is black.
  for (const [element] of icon.matchAll(/<path [^>]*>/gu)) {
    expect(element).toMatch(/ fill="none" stroke="currentColor"/u);
  }
});

/** The request of the registry's check. It shows logins, although no field of the protocol itself reports this. */
const CHECKED = {
  protocolVersion: 1,
  clientInfo: { name: "a check of the registry", version: "1.0.0" },
  clientCapabilities: {
    terminal: true,
    fs: { readTextFile: true, writeTextFile: true },
    _meta: { terminal_output: true, "terminal-auth": true },
  },
};

async function answersOf(clientCapabilities: Json, PATH: string): Promise<readonly [Json, Json]> {
  using home = createHome();
  const cwd = join(home.path, "project");
  mkdirSync(cwd);
  const env = { ...cleanEnv(home.path), PATH };
  await using wire = new Wire({ command: [process.execPath, MAIN, "acp"], cwd, env });
  const hello = await wire.get("initialize", { ...CHECKED, clientCapabilities });
  const login = await wire.ask("authenticate", { methodId: "continuo" });
  expect(wire.violations).toEqual([]);
  return [hello, login];
}

test("an editor that shows logins is offered one that needs no action of a person", async () => {
  const nowhere = join(FOLDER, "no-programs");
  const [hello, login] = await answersOf(CHECKED.clientCapabilities, nowhere);
  const methods = hello.authMethods as readonly Json[];
  expect(methods.map(({ id, type }) => [id, type ?? "agent"])).toEqual([["continuo", "agent"]]);
  // A machine without an agent has no login that could be used.
  expect(login.error).toMatchObject({ data: { code: "agent_missing" } });
});

test("an editor that shows no logins is offered none", async () => {
  const [hello] = await answersOf({}, process.env.PATH ?? "");
  expect(hello.authMethods).toEqual([]);
});

test("the login succeeds where an agent is installed", async () => {
  using bin = createHome();
  bin.write("pi", "#!/bin/sh\n");
  chmodSync(join(bin.path, "pi"), 0o755);
  const [hello, login] = await answersOf({ auth: { terminal: true } }, bin.path);
  expect(hello.authMethods).toMatchObject([{ id: "continuo" }]);
  expect(login.result).toEqual({});
});
