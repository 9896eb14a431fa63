/** `continuo update`: a newer release from a changelog on loopback, and no request without an address. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { readVersion } from "@continuo/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAfter, releasesIn } from "../../src/cli/update/index.ts";
import { installation } from "../../src/cli/update/update.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { createHome, type Home } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
let server: ReturnType<typeof createServer>;
let address: string;
let answer: RequestListener;

beforeEach(async () => {
  home = createHome();
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/CHANGELOG.md`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  home[Symbol.dispose]();
});

const CHANGELOG = `# Changelog

## Unreleased

- Nobody has this yet.

## 99.10.0 (2031-01-02)

### Added

- Sessions sing.

## 99.9.0 (2030-12-24)

### Fixed

- A bell that rang twice. \u001b]0;owned\u0007

## 0.0.1 (2020-01-01)

- The first one.
`;

const configure = (feed: string): void =>
  home.write(".continuo/continuo.yaml", JSON.stringify({ updates: { feed } }));

test("shows the releases that are newer, each with its changes, and how to install the newest", async () => {
  configure(address);
  answer = (_, response) => response.end(CHANGELOG);
  const { code, stdout } = await runHere(home, ["update"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`Continuo 99.10.0 is there, 2 releases after ${readVersion()}.`);
  expect(stdout).toMatch(/99\.10\.0 \(2031-01-02\)[\s\S]*Sessions sing\.[\s\S]*99\.9\.0[\s\S]*rang twice/u);
  expect(stdout).not.toContain("The first one.");
  expect(stdout).not.toContain("Nobody has this yet.");
  expect(stdout).not.toContain("\u001b");
  expect(stdout).toContain("To install it: ");
  const json = JSON.parse((await runHere(home, ["update", "--json"])).stdout);
  expect(json).toMatchObject({
    version: readVersion(),
    newer: [{ version: "99.10.0" }, { version: "99.9.0" }],
  });
});

test("sends no request without an address", async () => {
  let asked = 0;
  answer = (_, response) => {
    asked += 1;
    response.end(CHANGELOG);
  };
  const { code, stdout } = await runHere(home, ["update"]);
  expect(code).toBe(0);
  expect(stdout).toContain("No address is configured, so nothing was asked");
  const folder = join(home.path, "project");
  mkdirSync(folder);
  // An address in a cloned project is not used.
  writeFileSync(join(folder, "continuo.yaml"), JSON.stringify({ updates: { feed: address } }));
  await runHere(home, ["update"], { cwd: folder });
  await runHere(home, ["list"], { cwd: folder });
  expect(asked).toBe(0);
});

test("reports that there is no newer release", async () => {
  configure(address);
  answer = (_, response) => response.end(CHANGELOG.slice(CHANGELOG.indexOf("## 0.0.1")));
  expect((await runHere(home, ["update"])).stdout).toContain("there is no newer release");
});

test.each([
  [
    "an error of the server",
    (response: Answer) => response.writeHead(503).end(),
    "unavailable",
    "it answered 503",
  ],
  [
    "a page that is not a changelog",
    (response: Answer) => response.end("<html>Welcome</html>"),
    "invalid",
    "no changelog",
  ],
  [
    "more data than a changelog has",
    (response: Answer) => endless(response),
    "unavailable",
    "longer than 4194304 bytes",
  ],
  ["a connection that is cut", (response: Answer) => response.destroy(), "unavailable", "cannot be read"],
])("%s is an error", async (_, respond, code, words) => {
  configure(address);
  answer = (_request, response) => respond(response);
  const run = await runHere(home, ["update"]);
  expect(run.code).not.toBe(0);
  expect(run.stderr).toContain(words);
  expect(JSON.parse((await runHere(home, ["update", "--json"])).stderr)).toMatchObject({ error: { code } });
});

type Answer = Parameters<RequestListener>[1];

function endless(response: Answer): void {
  const part = "## 1.2.3\n".repeat(10_000);
  const write = (): void => {
    while (!response.destroyed && response.write(part));
    if (!response.destroyed) response.once("drain", write);
  };
  write();
}

test("reads the project's own changelog, and orders versions by their numbers", () => {
  const own = releasesIn(readFileSync(join(import.meta.dirname, "../../CHANGELOG.md"), "utf8"));
  expect(own.map(({ version }) => version)).toContain("0.2.0");
  expect(own.find(({ version }) => version === "0.2.0")?.text).toContain("### Breaking");
  expect([isAfter("0.10.0", "0.9.9"), isAfter("1.0.0", "1.0.0"), isAfter("1.0", "0.9.0")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("names the command for the way in which this program was installed", () => {
  const clone = scratchFolder("clone");
  mkdirSync(join(clone, ".git"));
  mkdirSync(join(clone, "bin"));
  expect(installation("1.2.3", join(clone, "bin/continuo.js"), false)).toBe("`git pull && npm ci`");
  expect(installation("1.2.3", "/usr/lib/node_modules/continuo/bin/continuo.js", false)).toBe(
    "`npm install --global continuo@1.2.3`",
  );
  expect(installation("1.2.3", "", true)).toContain("1.2.3");
});
