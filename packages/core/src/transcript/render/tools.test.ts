import { expect, test } from "vitest";
import { mainArgument } from "./tools.ts";

test.each([
  [{ description: "List files", command: "ls" }, "ls"],
  [{ workdir: "/w", cmd: ["bash", "-lc", "ls"] }, "bash -lc ls"],
  [{ old_string: "x", file_path: "/a" }, "/a"],
  [{ oldString: "x", filePath: "/a" }, "/a"],
  [{ pattern: "x", path: "/a" }, "/a"],
  [{ offset: "3", absolute_path: "/a" }, "/a"],
  [{ glob: "*.ts", pattern: "x" }, "x"],
  [{ kind: "web", query: "x" }, "x"],
  [{ prompt: "sum up", url: "https://example.test/" }, "https://example.test/"],
  [{ prompt: "look", description: "Look" }, "Look"],
  [{ args: "x", skill: "s" }, "s"],
  [{ args: "x", name: "n" }, "n"],
  [{ to: "x", message: "m" }, "m"],
  [{ model: "x", prompt: "p" }, "p"],
  [{ kind: "x", input: "i" }, "i"],
])("of %j, the most telling argument is %j", (args, argument) => {
  expect(mainArgument(args)).toBe(argument);
});

test.each([
  [{ command: " ", other: "x" }, "x"],
  [{ command: [], other: "x" }, "x"],
  [{ command: ["a", 7], n: 7, other: ["x", "y"] }, "x y"],
  [{ n: 7, list: [1] }, '{"n":7,"list":[1]}'],
  [{ command: "" }, '{"command":""}'],
  [{}, null],
])("of %j, the first argument with words is %j", (args, argument) => {
  expect(mainArgument(args)).toBe(argument);
});
