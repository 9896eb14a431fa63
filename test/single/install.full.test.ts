/** The ways to install Continuo without npm, from files that a local server serves as a release would. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { builtExtension } from "../sizes/shared-programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const release = scratchFolder("release");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
const archive = `continuo-${version}-linux-x64.gz`;

/** All instructions of a Dockerfile, except MAINTAINER, which is no longer used. */
const DOCKER_INSTRUCTIONS = [
  ...["ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "ONBUILD"],
  ...["RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"],
];

let server: Server;
let address: string;
let home: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = join(release, request.url ?? "");
    if (existsSync(path)) createReadStream(path).pipe(response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made = spawnSync(process.execPath, [
    ...[join(ROOT, "scripts/installers.ts"), release, address],
    await builtExtension(),
  ]);
  expect([made.status, String(made.stderr)]).toEqual([0, expect.anything()]);
}, 240_000);
afterAll(() => server.close());
beforeEach(() => {
  home = scratchFolder("install-home");
});

interface Done {
  readonly code: number | null;
  readonly text: string;
}

/** Runs a command without blocking, because a server in this process has to answer at the same time. */
async function sh(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Done> {
  const env = { HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin", ...more };
  const child = spawn("sh", [join(release, "install.sh"), ...args], { cwd: home, env });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, text };
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("install.sh", () => {
  test("installs for one person from one address, lists, and leaves nothing behind when it is removed", async () => {
    mkdirSync(join(home, ".claude"));
    const installed = await sh([]);
    expect(installed.code, installed.text).toBe(0);
    expect(installed.text).toContain("is not in your PATH");
    const program = join(home, ".local/bin/continuo");
    const env = { HOME: home, PATH: "" };
    expect(execFileSync(program, ["--version"], { env, encoding: "utf8" })).toBe(`${version}\n`);
    expect(execFileSync(program, ["list"], { env, encoding: "utf8" })).toContain("No sessions found");
    execFileSync(program, ["setup", "--yes"], { env });
    expect(existsSync(join(home, ".claude/skills/continuo/SKILL.md"))).toBe(true);
    expect((await sh(["--uninstall"])).code).toBe(0);
    const left = filesIn(home).filter((path) => !path.startsWith(join(home, ".continuo/")));
    expect(left).toEqual([]);
    expect(readdirSync(join(home, ".continuo"))).not.toContain("app");
  });

  test("replaces an older version, while one that runs keeps running", async () => {
    await sh([]);
    const program = join(home, ".local/bin/continuo");
    const running = spawn(program, ["mcp"], { env: { HOME: home }, stdio: ["pipe", "pipe", "ignore"] });
    const again = await sh([], { PATH: `${join(home, ".local/bin")}:/usr/bin:/bin` });
    expect(again).toMatchObject({ code: 0, text: expect.stringContaining("Try: continuo list") });
    running.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    const [answer] = await new Promise<[string]>((resolve) =>
      running.stdout.once("data", (part) => resolve([String(part)])),
    );
    running.kill();
    expect(JSON.parse(answer)).toMatchObject({ id: 1 });
  });

  test("a file that was changed on the way is not installed", async () => {
    const bad = scratchFolder("bad");
    writeFileSync(join(bad, archive), "not the program");
    writeFileSync(join(bad, "SHA256SUMS"), readFileSync(join(release, "SHA256SUMS")));
    const { code, text } = await sh([], { CONTINUO_RELEASE: bad });
    expect([code, text]).toEqual([1, expect.stringContaining("nothing was installed")]);
    expect(existsSync(join(home, ".local"))).toBe(false);
  });

  test.each([
    ["no such release", { CONTINUO_RELEASE: "ADDRESS/nothing" }, "cannot get SHA256SUMS"],
    ["a server that is gone", { CONTINUO_RELEASE: "http://127.0.0.1:9" }, "cannot get SHA256SUMS"],
    ["a folder that cannot be written", { CONTINUO_BIN: "/proc/continuo" }, "/proc/continuo"],
  ])("%s is an error, and nothing is left", async (_, env, expected) => {
    const named = Object.fromEntries(
      Object.entries(env).map(([name, text]) => [name, text.replace("ADDRESS", address)]),
    );
    const { code, text } = await sh([], named);
    expect(code).toBe(1);
    expect(text).toContain(expected);
    expect(filesIn(home)).toEqual([]);
  });
});

test("the package of Debian is installed and removed, and its program runs in a root of its own", () => {
  const root = join(scratchFolder("debian"), "root");
  for (const folder of ["var/lib/dpkg/info", "var/lib/dpkg/updates", "tmp"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "var/lib/dpkg/status"), "");
  const dpkg = (...args: readonly string[]): string =>
    execFileSync("dpkg", [`--root=${root}`, "--force-depends", "--force-not-root", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  dpkg("--install", join(release, `continuo_${version}_amd64.deb`));
  expect(dpkg("--status", "continuo")).toContain("Depends: libc6");
  // The root has only the libraries of this system.
  const script = `mkdir -p "$1/lib" "$1/lib64" "$1/dev" "$1/root"
    mount --rbind /lib "$1/lib"; [ ! -e /lib64 ] || mount --rbind /lib64 "$1/lib64"
    mkdir -p "$1/usr/lib"; mount --rbind /usr/lib "$1/usr/lib"; mount --rbind /dev "$1/dev"
    HOME=/root chroot "$1" /usr/bin/continuo list`;
  const run = spawnSync("unshare", ["--mount", "--propagation", "private", "sh", "-c", script, "sh", root], {
    encoding: "utf8",
  });
  expect([run.status, run.stdout]).toEqual([0, expect.stringContaining("No sessions found")]);
  dpkg("--remove", "continuo");
  expect(existsSync(join(root, "usr/bin/continuo"))).toBe(false);
  rmSync(root, { recursive: true, force: true });
});

test("files for other installers name the executable with its checksum", () => {
  const sums = readFileSync(join(release, "SHA256SUMS"), "utf8");
  const [, sha256 = ""] = new RegExp(`^([0-9a-f]{64})  ${archive}$`, "mu").exec(sums) ?? [];
  expect(sha256).toHaveLength(64);
  expect(
    sums
      .trim()
      .split("\n")
      .map((line) => line.split("  ")[1]),
  ).toEqual(
    readdirSync(release)
      .filter((name) => name !== "SHA256SUMS")
      .sort(),
  );
  for (const name of ["continuo.rb", "mise.toml", "Dockerfile"]) {
    const text = readFileSync(join(release, name), "utf8");
    expect(text).toContain(sha256);
    expect(text).toContain(`${address}/${archive}`);
  }
});

test("the file for mise is valid, and names the executable with its checksum", () => {
  const code = "import json, sys, tomllib; print(json.dumps(tomllib.load(open(sys.argv[1], 'rb'))))";
  const printed = execFileSync("python3", ["-c", code, join(release, "mise.toml")], { encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual({
    tools: {
      "http:continuo": {
        version,
        url: `${address}/${archive}`,
        checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
        bin: "continuo",
      },
    },
  });
});

test("each line of the file for Docker begins with an instruction, the first with FROM", () => {
  const lines = readFileSync(join(release, "Dockerfile"), "utf8").trimEnd().split("\n");
  const instructions = lines.map((line) => /^([A-Z]+) \S/u.exec(line)?.[1]);
  expect(instructions[0]).toBe("FROM");
  expect(DOCKER_INSTRUCTIONS).toEqual(expect.arrayContaining(instructions));
  expect(instructions.filter((one) => one === "ENTRYPOINT" || one === "CMD")).toEqual(["ENTRYPOINT", "CMD"]);
});

test("the command of the image starts a server", async () => {
  const lines = readFileSync(join(release, "Dockerfile"), "utf8").split("\n");
  const [, command = "[]"] = /^CMD (.+)$/u.exec(lines.find((line) => line.startsWith("CMD")) ?? "") ?? [];
  const program = join(home, "continuo");
  execFileSync("sh", ["-c", `gzip -dc '${join(release, archive)}' >'${program}' && chmod 755 '${program}'`]);
  // The command runs in a separate network, like a container, so that nobody else reaches it.
  const args = ["--net", "--map-root-user", program, ...(JSON.parse(command) as string[])];
  const child = spawn("unshare", args, { env: { HOME: home, PATH: process.env.PATH }, stdio: "pipe" });
  try {
    let printed = "";
    child.stdout.on("data", (text: Buffer) => {
      printed += text;
    });
    await expect.poll(() => printed).toContain("Continuo listens on http://0.0.0.0:4747");
  } finally {
    child.kill();
    await new Promise((resolve) => child.once("exit", resolve));
  }
});

test("the formula says all that Homebrew asks of one, in its order", () => {
  const lines = readFileSync(join(release, "continuo.rb"), "utf8").trimEnd().split("\n");
  const said = lines.flatMap((line) => /^ {2}([a-z\d]+) "[^"\s][^"]*"$/u.exec(line)?.[1] ?? []);
  expect(said).toEqual(["desc", "homepage", "url", "version", "sha256", "license"]);
  // Each block must have its `end`.
  const begins = lines.filter((line) => /^\s*(?:class|def) |\bdo$/u.test(line));
  expect(lines.filter((line) => line.trim() === "end")).toHaveLength(begins.length);
});
