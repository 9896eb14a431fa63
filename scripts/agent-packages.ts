/**
 * `node scripts/agent-packages.ts FOLDER`: writes Continuo as packages in the agents' own formats: a plugin of Claude
 * Code and Codex in a marketplace, an extension of Gemini CLI, a package of pi, a plugin of opencode. They contain what
 * `continuo setup` adds, except for personal choices, and start `continuo` from the search path.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { PNG } from "pngjs";
import { hooksOf, markdownCommand, skillText, slashCommands, tomlCommand } from "../src/cli/setup/texts.ts";

const ROOT = join(import.meta.dirname, "..");
const COMMAND = ["continuo"];
const NAME = "continuo";
const DESCRIPTION =
  "Every session of every coding agent on this machine: search, recall, hand over, and none is lost.";
const SERVER = { command: NAME, args: ["mcp"] };

const README = `# Continuo

${DESCRIPTION}

The plugin adds the tools of \`continuo mcp\` (search, grep, read, digest, recall, who, fix, how), a skill that says when to use them, the commands
\`/continuo-search WORDS\` and \`/continuo-handoff AGENT\`, and hooks that copy a session when it ends, before the agent deletes it, and say who else
has it open. Nothing is sent anywhere: everything stays on this machine.

It needs the command \`continuo\` in the search path. \`continuo guard on\` switches the copies on.
`;

const [target] = process.argv.slice(2);
if (target === undefined) {
  process.stderr.write("usage: node scripts/agent-packages.ts FOLDER\n");
  process.exit(2);
}
const { version, license } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly version: string;
  readonly license: string;
};
for (const [path, content] of [...plugin(), ...geminiExtension(), ...piPackage(), ...opencodePlugin()])
  write(path, content);

type File = readonly [path: string, content: string | Buffer | object];

/** Claude Code and Codex read the same marketplace. */
function plugin(): readonly File[] {
  const about = {
    name: NAME,
    version,
    description: DESCRIPTION,
    author: { name: "Continuo maintainers" },
    license,
  };
  return [
    [
      ".claude-plugin/marketplace.json",
      {
        name: NAME,
        description: "The session layer for AI agents",
        owner: about.author,
        plugins: [{ name: NAME, source: "./plugin", description: DESCRIPTION }],
      },
    ],
    ["plugin/.claude-plugin/plugin.json", about],
    ["plugin/.claude-plugin/icon.png", icon()],
    ["plugin/README.md", README],
    ["plugin/.mcp.json", { mcpServers: { continuo: SERVER } }],
    ["plugin/hooks/hooks.json", { hooks: hookLists("claude") }],
    ["plugin/skills/continuo/SKILL.md", skillText(COMMAND)],
    ...commands("plugin/commands", "md", markdownCommand),
  ];
}

function geminiExtension(): readonly File[] {
  return [
    [
      "gemini/gemini-extension.json",
      { name: NAME, version, description: DESCRIPTION, mcpServers: { continuo: SERVER } },
    ],
    ["gemini/hooks/hooks.json", { hooks: hookLists("gemini") }],
    ["gemini/skills/continuo/SKILL.md", skillText(COMMAND)],
    ...commands("gemini/commands", "toml", tomlCommand),
  ];
}

/** pi has no MCP servers in packages: `continuo mcp install pi` registers ours. */
function piPackage(): readonly File[] {
  const manifest = {
    name: "continuo-pi",
    version,
    description: DESCRIPTION,
    license,
    keywords: ["pi-package"],
  };
  return [
    ["pi/package.json", { ...manifest, pi: { skills: ["./skills"], prompts: ["./prompts/*.md"] } }],
    ["pi/skills/continuo/SKILL.md", skillText(COMMAND)],
    ...commands("pi/prompts", "md", markdownCommand),
  ];
}

/** A plugin of opencode is a program; this one only adds settings. */
function opencodePlugin(): readonly File[] {
  const manifest = { name: "continuo-opencode", version, description: DESCRIPTION, license, type: "module" };
  const entries = slashCommands(COMMAND).map(({ name, description, prompt }) => [
    name,
    { description, template: prompt },
  ]);
  const server = { type: "local", command: [SERVER.command, ...SERVER.args], enabled: true };
  return [
    ["opencode/package.json", { ...manifest, exports: "./index.js" }],
    ["opencode/index.js", readFileSync(join(ROOT, "scripts/release/opencode-plugin.js"))],
    ["opencode/opencode.json", { mcp: { continuo: server }, command: Object.fromEntries(entries) }],
    ["opencode/skills/continuo/SKILL.md", skillText(COMMAND)],
  ];
}

/** The entries of each event: Claude Code ignores an event that has no list of them. */
function hookLists(agent: "claude" | "gemini"): object {
  const entries = Object.entries(hooksOf(agent, COMMAND));
  return Object.fromEntries(entries.map(([event, entry]) => [event, [entry]]));
}

function commands(folder: string, ending: string, draw: typeof markdownCommand): readonly File[] {
  return slashCommands(COMMAND).map((command) => [`${folder}/${command.name}.${ending}`, draw(command)]);
}

/** The icon of the viewer, in the size that catalogs of plugins require. */
function icon(): Buffer {
  const [size, radius] = [512, 192];
  const picture = new PNG({ width: size, height: size });
  for (let at = 0; at < size * size; at++) {
    const distance = Math.hypot((at % size) - size / 2 + 0.5, Math.floor(at / size) - size / 2 + 0.5);
    const covered = Math.min(1, Math.max(0, radius - distance + 0.5));
    picture.data.set([0x5b, 0x5e, 0xd6, Math.round(covered * 255)], at * 4);
  }
  return PNG.sync.write(picture);
}

function write(path: string, content: File[1]): void {
  const file = join(resolve(target ?? ""), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    typeof content === "string" || Buffer.isBuffer(content)
      ? content
      : `${JSON.stringify(content, null, 2)}\n`,
  );
}
