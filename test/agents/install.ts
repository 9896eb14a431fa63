/**
 * The real agents of the tests, in exact versions. They are installed once from npm into a cache outside the clone.
 *
 * `node test/agents/install.ts` installs what `npm run test:agents` needs and prints the folders. The cache is
 * `$CONTINUO_TEST_AGENTS`, else `continuo-agents` in the user's cache folder. A package is installed into a temporary
 * folder and renamed when it is complete, so that two installs at the same time do no harm.
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { versionOf } from "./versions.ts";

/** One pinned package. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** A file that must exist after the install, relative to `node_modules/<name>`. */
  readonly proof: string;
  /** True to leave out the optional dependencies, which only contain a second copy of a binary. */
  readonly withoutOptional?: true;
  /** Unpack only the package, without dependencies, because its bundle needs none. */
  readonly unpackOnly?: true;
  /** With `unpackOnly`: other packages that it still needs, each as `NAME@VERSION`. */
  readonly beside?: readonly string[];
  /** A folder of the repository with the lock file of the package and of its dependencies. */
  readonly lockIn?: string;
  /** Installed only with `CONTINUO_ALL_VERSIONS=1`. */
  readonly onlyWithAllVersions?: true;
}

const PLATFORM = `${process.platform}-${process.arch}`;

export type PinnedName =
  | "claude"
  | "claude2197"
  | "claudeSdk"
  | "claudeAcp"
  | "codex"
  | "codex163"
  | "codexAcp"
  | "gemini"
  | "pi"
  | "pi087"
  | "pi073"
  | "piAcp"
  | "opencode"
  | "copilot"
  | "mcpConformance"
  | "acpx";

/** Every package that a test may start, by the name that the drivers use. `versions.json` has the agents' versions. */
export const PINNED: Readonly<Record<PinnedName, PinnedPackage>> = {
  claude: {
    name: `@anthropic-ai/claude-code-${PLATFORM}`,
    version: versionOf("claude"),
    proof: "claude",
  },
  claude2197: {
    name: `@anthropic-ai/claude-code-${PLATFORM}`,
    version: "2.1.197",
    proof: "claude",
    onlyWithAllVersions: true,
  },
  claudeSdk: {
    name: "@anthropic-ai/claude-agent-sdk",
    version: "0.3.330",
    proof: "sdk.mjs",
    withoutOptional: true,
  },
  claudeAcp: {
    name: "@agentclientprotocol/claude-agent-acp",
    version: "0.100.0",
    proof: "dist/index.js",
    withoutOptional: true,
    onlyWithAllVersions: true,
  },
  codexAcp: {
    name: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    proof: "dist/index.js",
    withoutOptional: true,
    onlyWithAllVersions: true,
  },
  codex: { name: "@openai/codex", version: versionOf("codex"), proof: "bin/codex.js" },
  codex163: { name: "@openai/codex", version: "0.163.0", proof: "bin/codex.js", onlyWithAllVersions: true },
  gemini: {
    name: "@google/gemini-cli",
    version: versionOf("gemini"),
    proof: "bundle/gemini.js",
    unpackOnly: true,
  },
  pi: {
    name: "@earendil-works/pi-coding-agent",
    version: versionOf("pi"),
    proof: "dist/bundle/cli.js",
    unpackOnly: true,
    // pi loads extensions with this package.
    beside: ["jiti@2.7.0"],
  },
  pi087: {
    name: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    proof: "dist/bundle/cli.js",
    onlyWithAllVersions: true,
  },
  pi073: {
    name: "@mariozechner/pi-coding-agent",
    version: "0.73.1",
    proof: "dist/cli.js",
    onlyWithAllVersions: true,
  },
  piAcp: {
    name: "pi-acp",
    version: "0.0.34",
    proof: "dist/index.js",
    withoutOptional: true,
    onlyWithAllVersions: true,
  },
  opencode: {
    name: `opencode-${PLATFORM}`,
    version: versionOf("opencode"),
    proof: "bin/opencode",
    unpackOnly: true,
  },
  // The licence permits installing and running it; no part of it is redistributed.
  copilot: {
    name: `@github/copilot-${PLATFORM}`,
    version: versionOf("copilot"),
    proof: "copilot",
    unpackOnly: true,
  },
  // This is not an agent. It is not in package.json because contributors should not wait for its 122 packages (51 MB).
  mcpConformance: { name: "@modelcontextprotocol/conformance", version: "0.1.16", proof: "dist/index.js" },
  // This is not an agent either, but a client of `continuo acp` with 27 packages.
  acpx: { name: "acpx", version: "0.19.1", proof: "dist/cli.js", lockIn: "editors/acpx" },
};

const PROGRESS_EVERY_MS = 10_000;

/** The folder of all installed agents. */
function agentsCache(): string {
  const named = process.env.CONTINUO_TEST_AGENTS;
  if (named !== undefined && named !== "") return resolve(named);
  const caches = process.env.XDG_CACHE_HOME;
  return join(caches === undefined || caches === "" ? join(homedir(), ".cache") : caches, "continuo-agents");
}

/** Returns the folder of an installed package, its `node_modules/<name>`. It may not exist yet. */
export function packageFolder(pinned: PinnedPackage): string {
  return join(installFolder(pinned), "node_modules", pinned.name);
}

/** Returns true if this run needs the package. */
export function isWanted(pinned: PinnedPackage): boolean {
  return pinned.onlyWithAllVersions !== true || process.env.CONTINUO_ALL_VERSIONS === "1";
}

/** Installs every package of the table that is needed and missing. Throws if one cannot be installed. */
export async function installAgents(): Promise<void> {
  for (const pinned of Object.values(PINNED)) {
    if (isWanted(pinned)) await installPackage(pinned);
  }
}

/** Installs one missing package. Throws if it cannot be installed. */
export async function installPackage(pinned: PinnedPackage): Promise<void> {
  const target = installFolder(pinned);
  if (existsSync(proofOf(target, pinned))) return;
  const started = performance.now();
  tell(`installing ${pinned.name}@${pinned.version}`);
  await mkdir(agentsCache(), { recursive: true });
  const staging = await mkdtemp(`${target}.tmp-`);
  try {
    if (pinned.lockIn !== undefined) await installLocked(staging, pinned.lockIn);
    else await (pinned.unpackOnly === true ? unpack(staging, pinned) : installWhole(staging, pinned));
    if (!existsSync(proofOf(staging, pinned))) {
      throw new Error(`${pinned.name}@${pinned.version} was installed without its file ${pinned.proof}`);
    }
    await moveIntoPlace(staging, target, pinned);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  tell(`installed ${pinned.name}@${pinned.version} in ${Math.round((performance.now() - started) / 1000)} s`);
}

function installFolder(pinned: PinnedPackage): string {
  const bare = pinned.name.slice(pinned.name.indexOf("/") + 1);
  return join(agentsCache(), `${bare}-${pinned.version}`);
}

function proofOf(folder: string, pinned: PinnedPackage): string {
  return join(folder, "node_modules", pinned.name, pinned.proof);
}

async function installWhole(folder: string, pinned: PinnedPackage): Promise<void> {
  const flags = pinned.withoutOptional === true ? ["--omit=optional"] : [];
  await npmInstall(folder, [`${pinned.name}@${pinned.version}`], flags);
}

async function installLocked(folder: string, lockIn: string): Promise<void> {
  for (const file of ["package.json", "package-lock.json"]) {
    await copyFile(join(import.meta.dirname, lockIn, file), join(folder, file));
  }
  // `npm ci` refuses a lock file that lacks the binaries of other platforms, and for acpx some are not available.
  await npm(folder, ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional"]);
}

async function npmInstall(
  folder: string,
  packages: readonly string[],
  flags: readonly string[] = [],
): Promise<void> {
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  await npm(folder, [
    "install",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--ignore-scripts",
    ...flags,
    ...packages,
  ]);
}

async function unpack(folder: string, pinned: PinnedPackage): Promise<void> {
  if (pinned.beside !== undefined) await npmInstall(folder, pinned.beside);
  await npm(folder, ["pack", "--silent", `${pinned.name}@${pinned.version}`]);
  const archive = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error(`npm pack ${pinned.name}@${pinned.version} left no archive`);
  const place = join(folder, "node_modules", pinned.name);
  await mkdir(place, { recursive: true });
  await runTo(folder, "tar", ["-xzf", archive, "-C", place, "--strip-components=1"]);
  await rm(join(folder, archive));
}

/** Runs npm. If npm started this process, the same npm runs, because it works and uses the same settings. */
async function npm(folder: string, args: readonly string[]): Promise<void> {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith(".js")) await runTo(folder, process.execPath, [cli, ...args]);
  else await runTo(folder, "npm", args);
}

async function runTo(cwd: string, command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-4000);
    });
  }
  const beat = setInterval(() => tell("still installing …"), PROGRESS_EVERY_MS);
  try {
    const code = await new Promise<number | null>((done, failed) => {
      child.once("error", failed).once("close", done);
    });
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${output}`);
  } finally {
    clearInterval(beat);
  }
}

async function moveIntoPlace(staging: string, target: string, pinned: PinnedPackage): Promise<void> {
  if (existsSync(target) && !existsSync(proofOf(target, pinned))) {
    await rm(target, { recursive: true, force: true });
  }
  try {
    await rename(staging, target);
  } catch (error) {
    // Another install was faster, and its copy is the same.
    if (!existsSync(proofOf(target, pinned))) throw error;
  }
}

function tell(sentence: string): void {
  process.stderr.write(`agents: ${sentence}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await installAgents();
  for (const pinned of Object.values(PINNED)) {
    if (isWanted(pinned)) process.stdout.write(`${packageFolder(pinned)}\n`);
  }
}
