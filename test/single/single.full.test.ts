/** Continuo as one executable: it is built as for a release, and used without Node and other files of Continuo. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createConnection } from "node:net";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { handedOver } from "../sizes/handed-over.ts";
import { builtExtension, newPostgresDatabase } from "../sizes/shared-programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const place = scratchFolder("single");
const program = join(place, "continuo");
let home: string;

beforeAll(async () => {
  const made = handedOver("CONTINUO_TEST_EXECUTABLE");
  if (made !== undefined) return copyFileSync(made, program);
  const extension = await builtExtension();
  execFileSync(process.execPath, [join(ROOT, "scripts/single.ts"), program, extension]);
}, 300_000);

beforeEach(() => {
  home = scratchFolder("single-home");
  cpSync(join(ROOT, "examples/sessions/gemini"), home, { recursive: true });
});

/** No Node and no shell are on the search path. */
function environment(): Record<string, string> {
  return { HOME: home, PATH: join(place, "nothing"), TZ: "UTC", LANG: "C.UTF-8" };
}

function continuo(...args: readonly string[]) {
  return spawnSync(program, args, { cwd: home, env: environment(), encoding: "utf8" });
}

test("the executable lists, searches with threads, shows and exports sessions", () => {
  expect(continuo("list").stdout).toContain("soup and bread");
  const id = /0d5c1b7e[\w-]+/u.exec(continuo("list", "--json").stdout)?.[0] ?? "";
  expect(continuo("search", "soup").stdout).toContain("soup and bread");
  expect(continuo("show", id).stdout).toContain("What do I have to buy");
  const page = continuo("session", "export", id, "--format", "html", "--output", join(home, "page.html"));
  expect([page.status, page.stderr, existsSync(join(home, "page.html"))]).toEqual([
    0,
    expect.anything(),
    true,
  ]);
});

test("mcp install registers the executable with an agent, and not a file of one version", () => {
  expect(continuo("mcp", "install", "claude", "--yes").status).toBe(0);
  const shown = execFileSync("grep", ["-h", "-A3", "command", join(home, ".claude.json")], {
    encoding: "utf8",
  });
  expect(shown).toContain(`"command": "${program}"`);
  expect(shown).not.toContain(".js");
});

test("the executable contains the client of Postgres, and can use a store there", async () => {
  const url = await newPostgresDatabase();
  expect(continuo("store", "migrate", "--store", url)).toMatchObject({ status: 0 });
  const { status, stdout } = continuo("store", "info", "--store", url, "--json");
  expect([status, stdout.toLowerCase()]).toEqual([0, expect.stringContaining("postgres")]);
});

test("the executable answers an agent over MCP", () => {
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`;
  const { stdout } = spawnSync(program, ["mcp"], { cwd: home, env: environment(), input, encoding: "utf8" });
  expect(JSON.parse(stdout).result.serverInfo.name).toBe("continuo");
});

test("the executable serves the pages of the viewer, and contains the complete extension", async () => {
  const child = spawn(program, ["view", "--no-open", "--port", "0"], { cwd: home, env: environment() });
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let text = "";
      child.stdout.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        const [found] = /http:\/\/\S+/u.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.on("exit", () => reject(new Error(text)));
    });
    const { port } = new URL(address);
    const page = await pageAt(Number(port), new URL(address).host);
    expect(page).toContain("<script");
  } finally {
    child.kill();
  }
  const { chromium } = JSON.parse(continuo("extension", "--json").stdout);
  expect(readdirSync(chromium)).toContain("manifest.json");
  expect(readdirSync(join(chromium, "text"))).toContain("eng.traineddata.gz");
});

test("after a first start that was killed at any moment, the next start works", async () => {
  for (let round = 0; round < 12; round++) {
    rmSync(join(home, ".continuo"), { recursive: true, force: true });
    const child = spawn(program, ["list"], { cwd: home, env: environment(), stdio: "ignore" });
    setTimeout(() => child.kill("SIGKILL"), 20 + round * 25);
    await new Promise((resolve) => child.on("exit", resolve));
    expect(continuo("list").stdout, `killed in round ${round}`).toContain("soup and bread");
  }
}, 120_000);

test("the executable works if it cannot write in CONTINUO_HOME, and then leaves no temporary files", () => {
  const temporary = join(place, "temporary");
  mkdirSync(temporary, { recursive: true });
  const env = { ...environment(), CONTINUO_HOME: "/sys/continuo", TMPDIR: temporary };
  const { stdout } = spawnSync(program, ["list"], { cwd: home, env, encoding: "utf8" });
  expect(stdout).toContain("soup and bread");
  expect(readdirSync(temporary)).toEqual([]);
});

test("a program of an older build is started from the files of that build", () => {
  expect(continuo("list").status).toBe(0);
  const [id = ""] = readdirSync(join(home, ".continuo/app"));
  const older = join(home, ".continuo/app/older");
  cpSync(join(home, ".continuo/app", id), older, { recursive: true });
  chmodSync(older, 0o700);
  const main = join(older, "dist/cli/main.js");
  const run = spawnSync(program, ["--max-old-space-size=512", main, "list"], {
    cwd: home,
    env: environment(),
    encoding: "utf8",
  });
  expect(run.stdout).toContain("soup and bread");
});

test("the executable runs no script of another folder, so that an agent that may run only this command can run nothing else", () => {
  const script = join(place, "project/dist/cli/main.js");
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, 'require("node:fs").writeFileSync("ran", "");');
  const run = continuo(script);
  expect(run.status).not.toBe(0);
  expect(existsSync(join(home, "ran"))).toBe(false);
});

/** Requests the page with the host name that only this start of the viewer has. */
function pageAt(port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.on("end", () => resolve(text)).on("error", reject);
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}
