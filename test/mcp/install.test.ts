/** `mcp install` and `uninstall`: our entry is added and removed, and no other byte of a file changes. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { parseCommented } from "@continuo/files";
import type { ServerCommand } from "@continuo/native";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { applyEdit, inverseOf, registrationOf } from "../../src/cli/mcp/registering/index.ts";
import { createHome, type Home, MAIN, run } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { rounds } from "../sizes/counts.ts";
import { tested } from "../tested-agents.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});

const PATHS = tested(({ mcpSettings }) => mcpSettings);

const SERVER: ServerCommand = {
  command: "/opt/node",
  args: ["/opt/continuo/bin/continuo.js", "mcp"],
  env: { CONTINUO_HOME: '/a "b"' },
};

const fileOf = (agent: AgentName): string => join(home.path, PATHS[agent]);

function entryOf(agent: AgentName, text: string): unknown {
  const settings = parseCommented(text.replace("\ufeff", "")) as Record<string, Record<string, unknown>>;
  return settings[agent === "opencode" ? "mcp" : "mcpServers"]?.continuo;
}

test.each(AGENT_NAMES)("%s: a new file is shown, then created, and removed by uninstall", async (agent) => {
  const path = fileOf(agent);
  const asked = await runHere(home, ["mcp", "install", agent]);
  expect(asked.code).toBe(2);
  expect(asked.stdout).toContain("+ ");
  expect(asked.stderr).toContain("--yes");
  expect(existsSync(path)).toBe(false);
  const made = await run(home, ["mcp", "install", agent, "--yes"]);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, "utf8");
  if (agent === "codex") {
    expect(text).toBe(
      `[mcp_servers.continuo]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(MAIN)}, "mcp"]\n`,
    );
  } else {
    const command = [process.execPath, MAIN, "mcp"];
    const own =
      agent === "claude" ? { type: "stdio" } : agent === "copilot" ? { type: "local", tools: ["*"] } : {};
    const exposure = agent === "pi" ? { exposure: "direct" } : {};
    expect(entryOf(agent, text)).toEqual(
      agent === "opencode"
        ? { type: "local", command, enabled: true }
        : { ...own, command: command[0], args: command.slice(1), ...exposure },
    );
  }
  expect((await run(home, ["mcp", "install", agent, "--yes"])).stdout).toContain("registered already");
  expect(readFileSync(path, "utf8")).toBe(text);
  const gone = await runHere(home, ["mcp", "uninstall", agent, "--yes", "--json"]);
  expect(JSON.parse(gone.stdout)).toEqual([{ agent, path, changed: true }]);
  expect(existsSync(path)).toBe(false);
  expect((await runHere(home, ["mcp", "uninstall", agent, "--yes"])).stdout).toContain("not registered");
});

const JSON_TEXTS: readonly string[] = [
  ...["", "  \n", "{}", "{ }\n", "{\n}\n", '{"a":1}', '{"a":1,"mcpServers":{}}', '\ufeff{"a": 1}\n'],
  ...[
    '{\n  "a": 1\n}\n',
    '{\r\n\t"a": {\r\n\t\t"b": [1, {"c": "}"}]\r\n\t}\r\n}\r\n',
    '{"mcpServers":{"x":{"command":"y"}},"z":null}',
  ],
  ...[
    '{\n  // mine, "a": {\n  "a": "/* no */", // end\n  "b": [\n    1,\n  ],\n}',
    '{\n    "mcpServers": {\n    },\n    "z": "\\"}"\n}',
  ],
  ...[
    '{\n  "mcpServers": {\n    "x": {\n      "command": "y"\n    }, /* last */\n  },\n  "z": 1\n}\n',
    '{"mcp":{"x":{"type":"local"}}}',
  ],
  '{\n  "mcp": {\n    "x": { "type": "local" }\n  },\n  "mcpServers": {}\n}',
];

const TOML_TEXTS: readonly string[] = [
  ...["", "\n", 'model = "x"', 'model = "x"\r\n[a]\r\nb = 1\r\n', "# only a comment\n"],
  ...[
    'text = """\n[mcp_servers.continuo]\ncommand = "mcp"\n"""\n',
    "a = '''\n[mcp_servers.continuo]'''\n[b]\nc = 1\n",
  ],
  ...[
    '[mcp_servers.other]\ncommand = "x"\n\n[mcp_servers.other.env]\nA = "1"\n',
    '[[list]]\na = 1\n[projects."/x.[y]"]\nt = "#"\n',
  ],
];

test.each(AGENT_NAMES)("%s: an entry that is added and taken back leaves every text as it was", (agent) => {
  const registration = registrationOf(agent, { home: home.path, env: {} });
  for (const before of agent === "codex" ? TOML_TEXTS : JSON_TEXTS) {
    const edit = registration.add(before, SERVER);
    if (edit === null) throw new Error("nothing to add");
    const after = applyEdit(before, edit);
    expect(applyEdit(after, inverseOf(edit))).toBe(before);
    expect(registration.add(after, SERVER)).toBeNull();
    if (agent !== "codex") {
      const [old, young] = [before, after].map((text) => parseCommented(text.replace("\ufeff", "")) ?? {});
      const group = agent === "opencode" ? "mcp" : "mcpServers";
      const others = { ...(young?.[group] as object), continuo: undefined };
      expect({ ...young, [group]: { ...others } }).toEqual({
        ...old,
        [group]: { ...(old?.[group] as object) },
      });
      expect(entryOf(agent, after)).toBeDefined();
    }
    // The removal also works without the record of the installation, except that an empty object may stay.
    const removal = registration.remove(after);
    if (removal === null) throw new Error("nothing to remove");
    const removed = applyEdit(after, removal);
    expect(registration.remove(removed)).toBeNull();
    if (agent === "codex") expect(removed.trimEnd()).toBe(before.trimEnd());
    else {
      const stripped = (text: string): object => {
        const value = { ...parseCommented(text.replace("\ufeff", "")) } as Record<string, unknown>;
        const group = agent === "opencode" ? "mcp" : "mcpServers";
        if (JSON.stringify(value[group]) === "{}") delete value[group];
        return value;
      };
      expect(stripped(removed)).toEqual(stripped(before));
    }
    const moved = { ...SERVER, args: ["/elsewhere/continuo", "mcp"] };
    const update = registration.add(after, moved);
    expect(update && applyEdit(after, update)).toContain("/elsewhere/continuo");
  }
});

test("any JSON settings keep every other value and byte", () => {
  const layout = fc.constantFrom(undefined, 1, 2, 4, "\t");
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
      layout,
      fc.boolean(),
      (settings, space, hasServers) => {
        const before = JSON.stringify(
          { ...settings, ...(hasServers ? { mcpServers: { x: { command: "y" } } } : {}) },
          null,
          space,
        );
        fc.pre(!("mcpServers" in settings));
        const registration = registrationOf("gemini", { home: "/h", env: {} });
        const edit = registration.add(before, SERVER);
        if (edit === null) throw new Error("nothing to add");
        const after = applyEdit(before, edit);
        const { mcpServers, ...others } = JSON.parse(after);
        expect(others).toEqual(JSON.parse(JSON.stringify(settings)));
        expect(Object.keys(mcpServers)).toEqual(hasServers ? ["x", "continuo"] : ["continuo"]);
        expect(edit.deleted).toBe("");
        const removal = registration.remove(after);
        expect(removal && JSON.parse(applyEdit(after, removal))).toEqual(JSON.parse(before));
      },
    ),
    { numRuns: rounds(300) },
  );
});

test("a file that its agent has rewritten since loses only our entry, and keeps its mode", async () => {
  const path = fileOf("claude");
  writeFileSync(path, '{\n  "numStartups": 3\n}');
  chmodSync(path, 0o644);
  expect((await run(home, ["mcp", "install", "claude", "--yes"])).code).toBe(0);
  const settings = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...settings, numStartups: 4 }));
  expect((await runHere(home, ["mcp", "uninstall", "claude", "--yes"])).code).toBe(0);
  expect(readFileSync(path, "utf8")).toBe('{"numStartups":4}');
  expect(statSync(path).mode & 0o777).toBe(0o644);
});

test("variables that say where things lie go into the entry, since some agents give their servers none", async () => {
  const env = { CONTINUO_HOME: join(home.path, "c"), CODEX_HOME: join(home.path, "x") };
  mkdirSync(env.CODEX_HOME);
  expect((await runHere(home, ["mcp", "install", "codex", "--yes"], { env })).code).toBe(0);
  const text = readFileSync(join(env.CODEX_HOME, "config.toml"), "utf8");
  expect(text).toContain(
    `\n[mcp_servers.continuo.env]\nCONTINUO_HOME = ${JSON.stringify(env.CONTINUO_HOME)}\n`,
  );
  expect(text).toContain(`CODEX_HOME = ${JSON.stringify(env.CODEX_HOME)}`);
});

test("without an agent, every agent that was used here is registered, and a failure of one is reported", async () => {
  home.write(".codex/config.toml", "model = 1\n");
  home.write(".gemini/settings.json", "{ broken");
  home.write(".pi/agent/settings.json", "{}");
  const { code, stdout, stderr } = await runHere(home, ["mcp", "install", "--yes"]);
  expect(code).toBe(1);
  expect(stderr).toContain("gemini: ");
  expect(stdout).toContain("registered with codex, pi");
  expect(readFileSync(fileOf("gemini"), "utf8")).toBe("{ broken");
  expect((await runHere(createEmpty(), ["mcp", "install", "--yes"])).code).toBe(2);
});

function createEmpty(): Home {
  mkdirSync(join(home.path, "nobody"));
  return { ...home, path: join(home.path, "nobody") };
}

const REFUSED: readonly (readonly [string, (path: string) => void, string])[] = [
  [
    "a link out of the home folder",
    (path) => symlinkSync("/etc/hostname", path),
    "leads out of the home folder",
  ],
  ["a link that leads nowhere", (path) => symlinkSync("/nowhere/at/all", path), "leads nowhere"],
  ["a folder", (path) => mkdirSync(path), "not a regular file"],
  ["a broken file", (path) => writeFileSync(path, '{"a": '), "cannot be edited"],
  [
    "a file of more than 64 MB",
    (path) => {
      writeFileSync(path, "{}");
      truncateSync(path, 65 * 1024 * 1024);
    },
    "too large",
  ],
  ["a list", (path) => writeFileSync(path, "[]"), "cannot be edited"],
  [
    "bytes that are no text",
    (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])),
    "not valid UTF-8",
  ],
  [
    "a server of another kind",
    (path) => writeFileSync(path, '{"mcpServers":{"continuo":{"command":"rm"}}}'),
    "another MCP server",
  ],
  ["a name that is there twice", (path) => writeFileSync(path, '{"mcpServers":{},"mcpServers":{}}'), "twice"],
];

test.each(REFUSED)("%s is refused and stays as it is", async (_what, make, message) => {
  const path = fileOf("gemini");
  mkdirSync(dirname(path), { recursive: true });
  make(path);
  const before = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  const { code, stderr } = await runHere(home, ["mcp", "install", "gemini", "--yes"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
  expect(statSync(path, { throwIfNoEntry: false })?.mtimeMs).toBe(before);
});

test("a folder in which others can write is refused; a link within the home folder is followed and stays a link", async () => {
  mkdirSync(dirname(fileOf("codex")), { recursive: true });
  chmodSync(dirname(fileOf("codex")), 0o777);
  expect((await runHere(home, ["mcp", "install", "codex", "--yes"])).stderr).toContain("others can write");
  chmodSync(dirname(fileOf("codex")), 0o700);
  home.write("dotfiles/config.toml", "# mine\n");
  symlinkSync(join(home.path, "dotfiles/config.toml"), fileOf("codex"));
  expect((await runHere(home, ["mcp", "install", "codex", "--yes"])).code).toBe(0);
  expect(readFileSync(join(home.path, "dotfiles/config.toml"), "utf8")).toContain(
    "# mine\n\n[mcp_servers.continuo]\n",
  );
  expect((await runHere(home, ["mcp", "uninstall", "codex", "--yes"])).code).toBe(0);
  expect(readFileSync(fileOf("codex"), "utf8")).toBe("# mine\n");
});

test("an entry of Codex in a form that is no table of its own is refused", () => {
  const registration = registrationOf("codex", { home: home.path, env: {} });
  for (const text of [
    'mcp_servers = { continuo = { command = "x" } }\n',
    '[mcp_servers]\ncontinuo = { command = "x" }\n',
    'mcp_servers.continuo.command = "x"\n',
    '[mcp_servers]\ncontinuo.command = "x"\n',
  ]) {
    expect(() => registration.add(text, SERVER)).toThrow("cannot be edited");
  }
  expect(() => registration.add('[mcp_servers.continuo]\ncommand = "rm"\n', SERVER)).toThrow(
    "another MCP server",
  );
});

test("the shown change contains no key that is next to it", async () => {
  const token = `ghp_${"aB3dE5fG7h".repeat(4).slice(0, 36)}`;
  home.write(".gemini/settings.json", JSON.stringify({ token, mcpServers: {} }, null, 2));
  const { stdout } = await runHere(home, ["mcp", "install", "gemini", "--yes"]);
  expect(stdout).toContain('"mcpServers"');
  expect(stdout).not.toContain("ghp_");
});
