/** MCP servers of `continuo.yaml` and of a file: their forms, their mistakes, and variables in their values. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { readToolServers } from "./tool-servers.ts";

let folder: string;

beforeEach(() => {
  folder = scratchFolder("servers");
});

const read = (content: unknown, env: Readonly<Record<string, string>> = {}) => {
  writeFileSync(join(folder, "mcp.json"), typeof content === "string" ? content : JSON.stringify(content));
  return readToolServers({ configured: {}, file: "mcp.json" }, { home: folder, cwd: folder, env });
};
const readOne = (server: unknown, env: Readonly<Record<string, string>> = {}) =>
  read({ mcpServers: { one: server } }, env);

describe("a file of MCP servers", () => {
  test("has programs, with or without a type, and addresses with a type", () => {
    const mcpServers = {
      files: { command: "serve", args: ["-v"], env: { A: "1" } },
      bare: { type: "stdio", command: "./run" },
      web: { type: "http", url: "https://a.example/mcp", headers: { Authorization: "Bearer x" } },
      old: { type: "sse", url: "http://127.0.0.1:9/sse" },
    };
    expect(read({ mcpServers })).toEqual([
      { name: "files", command: "serve", args: ["-v"], env: { A: "1" } },
      { name: "bare", command: "./run", args: [], env: {} },
      { name: "web", type: "http", url: "https://a.example/mcp", headers: { Authorization: "Bearer x" } },
      { name: "old", type: "sse", url: "http://127.0.0.1:9/sse", headers: {} },
    ]);
    expect(read({ mcpServers: {} })).toEqual([]);
  });

  test("may be indented with tabs", () => {
    const text = '{\n\t"mcpServers": {\n\t\t"one": {\n\t\t\t"command": "serve"\n\t\t}\n\t}\n}\n';
    expect(read(text)).toEqual([{ name: "one", command: "serve", args: [], env: {} }]);
  });

  test("replaces servers of the configuration that have the same name", () => {
    const configured = { one: { command: "old" }, two: { command: "two" } };
    writeFileSync(join(folder, "mcp.json"), '{"mcpServers":{"one":{"command":"new"}}}');
    const places = { home: folder, cwd: folder, env: {} };
    const commandsOf = (file: string | undefined) =>
      readToolServers({ configured, file }, places).map((one) => ("command" in one ? one.command : ""));
    expect(commandsOf("mcp.json")).toEqual(["new", "two"]);
    expect(commandsOf(undefined)).toEqual(["old", "two"]);
  });

  test.each<[string, string, RegExp]>([
    ["a text", "serve", /mcp\.json:1: it must be a map of keys$/u],
    ["cut JSON", '{"mcpServers":\n  {"one": {', /mcp\.json:2: /u],
    ["nothing", "", /mcp\.json:1: mcpServers: it must be a map of keys$/u],
    [
      "another key",
      '{"mcpServers":{},\n"mcpServer":{}}',
      /mcp\.json:2: there is no key "mcpServer".*mean mcpServers/u,
    ],
    [
      "a repeated name",
      '{"mcpServers":{"a":{"command":"x"},\n"a":{"command":"y"}}}',
      /mcp\.json:2: .*unique/u,
    ],
    [
      "a name with a space",
      '{"mcpServers":{"my files":{"command":"x"}}}',
      /"my files" cannot be the name of an MCP server: use letters, digits, hyphens and underscores$/u,
    ],
  ])("with %s is invalid, and the error names the place and shows the form", (_, text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: "invalid",
        message: expect.stringMatching(message),
        hint: expect.stringContaining("A server has a command with args and env"),
      }),
    );
  });

  test.each<[unknown, RegExp]>([
    [{}, /it needs a command, or a type \(http or sse\) and a url$/u],
    [{ command: "x", url: "http://a.example" }, /it has a command and a url: name only one$/u],
    [{ comand: "x" }, /there is no key "comand" in mcpServers\.one; did you mean command\?$/u],
    [{ command: "x", cwd: "/" }, /there is no key "cwd" in mcpServers\.one/u],
    [{ command: "" }, /mcpServers\.one\.command/u],
    [{ command: "x", args: "y" }, /mcpServers\.one\.args: it must be a list$/u],
    [{ command: "x", args: [1] }, /mcpServers\.one\.args\.0: it must be text$/u],
    [{ command: "x", env: { A: 1 } }, /mcpServers\.one\.env\.A: it must be text$/u],
    [{ command: "x", env: { "A B": "1" } }, /"A B" cannot be the name of a variable$/u],
    [{ command: "x", headers: {} }, /headers: only a server with a url can have it$/u],
    [{ command: "x", type: "http" }, /type: a server with a command cannot have the type http$/u],
    [{ url: "http://a.example" }, /url: a server with a url needs the type http or sse$/u],
    [{ url: "http://a.example", type: "stdio" }, /url: a server with a url needs the type http or sse$/u],
    [{ url: "http://a.example", type: "htp" }, /"htp" is not one of stdio, http, sse/u],
    [{ url: "http://a.example", type: "http", args: [] }, /args: only a server with a command can have it$/u],
    [{ url: "http://a.example", type: "http", env: {} }, /env: only a server with a command can have it$/u],
    [
      { url: "http://a.example", type: "http", headers: { "a b": "" } },
      /"a b" cannot be the name of a header$/u,
    ],
    [{ command: "x".repeat(10_001) }, /mcpServers\.one\.command/u],
    [{ command: "x", args: Array.from({ length: 101 }, () => "") }, /mcpServers\.one\.args/u],
  ])("with the server %j is invalid", (server, message) => {
    expect(() => readOne(server)).toThrow(
      expect.objectContaining({ code: "invalid", message: expect.stringMatching(message) }),
    );
  });

  test("has at most 50 servers", () => {
    const servers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, { command: "x" }]));
    expect(read({ mcpServers: servers(50) })).toHaveLength(50);
    expect(() => read({ mcpServers: servers(51) })).toThrow(/mcpServers: at most 50 servers$/u);
  });

  test("that is missing, a folder or too large has an error of its own, with one hint", () => {
    const open = (file: string) => () =>
      readToolServers({ configured: {}, file }, { home: folder, cwd: folder, env: {} });
    const hint = "Name a file with the MCP servers, such as .mcp.json.";
    const none = { code: "not_found", message: `there is no file ${join(folder, "none.json")}`, hint };
    expect(open("none.json")).toThrow(expect.objectContaining(none));
    const noFile = { code: "unreadable", message: `${folder} is not a file`, hint };
    expect(open(".")).toThrow(expect.objectContaining(noFile));
    expect(() => read(`{"mcpServers":{}}${" ".repeat(256 * 1024)}`)).toThrow(
      expect.objectContaining({ code: "too_large", hint }),
    );
  });
});

describe("a variable in a value", () => {
  const KEY = `\${KEY}`;

  test("is replaced in commands, arguments, variables, addresses and headers, and in no name", () => {
    const env = { KEY: "secret" };
    const program = { command: `/${KEY}/x`, args: [`--key=${KEY}`, "$KEY", `\${KEY`], env: { KEY } };
    expect(readOne(program, env)).toEqual([
      { name: "one", command: "/secret/x", args: ["--key=secret", "$KEY", `\${KEY`], env: { KEY: "secret" } },
    ]);
    const address = { type: "http", url: `https://a.example/${KEY}`, headers: { Key: `Bearer ${KEY}` } };
    expect(readOne(address, env)).toEqual([
      { name: "one", type: "http", url: "https://a.example/secret", headers: { Key: "Bearer secret" } },
    ]);
  });

  test("has its default if it is not set, and its value is not replaced again", () => {
    const args = [`\${A:-one}`, `\${B:-two}`, `\${C:-}`];
    expect(readOne({ command: "x", args }, { B: `\${A}` })).toMatchObject([{ args: ["one", `\${A}`, ""] }]);
  });

  test("that is not set is an error, which names it and its server", () => {
    expect(() => readOne({ command: "x", args: [KEY] })).toThrow(
      expect.objectContaining({
        code: "invalid",
        message: "the variable KEY is not set, which the MCP server one needs",
        hint: `Set KEY, or give it a default: \${KEY:-TEXT}.`,
      }),
    );
  });

  test.each(["constructor", "toString", "__proto__"])(
    "with the name %s of no variable is not set",
    (name) => {
      expect(() => readOne({ command: "x", args: [`\${${name}}`] })).toThrow(
        expect.objectContaining({ code: "invalid", message: expect.stringContaining(`variable ${name} is`) }),
      );
      expect(readOne({ command: `\${${name}:-y}` })).toMatchObject([{ command: "y" }]);
    },
  );

  test.each(["ftp://a.example", "a.example", "https://", "/path"])(
    "that makes the address %s is an error without the address",
    (url) => {
      const open = (): unknown => readOne({ type: "sse", url: `\${URL}` }, { URL: url });
      const message = "the url of the MCP server one is not an address of http or https";
      expect(open).toThrow(expect.objectContaining({ code: "invalid", message }));
    },
  );
});
