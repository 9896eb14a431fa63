import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { readDefaultModel } from "./default-model.ts";

let home = "";
beforeEach(() => {
  home = scratchFolder("opencode-model");
});

const PROVIDER = { provider: { kettle: { models: { "brew-1": {}, "brew-2": {} } } } };
const RECENT = { recent: [{ providerID: "leaf", modelID: "green" }] };
const USER = ".config/opencode/opencode.json";
const STATE = ".local/state/opencode/model.json";

/** Files below the home: what they hold. */
type Files = Readonly<Record<string, unknown>>;
const CASES: readonly (readonly [string, Files, string | null])[] = [
  ["nothing", {}, null],
  ["settings without a model", { [USER]: { autoupdate: false } }, null],
  ["the first provider in the settings", { [USER]: PROVIDER }, "kettle brew-2"],
  ["the one chosen last", { [USER]: PROVIDER, [STATE]: RECENT }, "leaf green"],
  ["the user's own", { [USER]: { model: "a/b", ...PROVIDER }, [STATE]: RECENT }, "a b"],
  ["a name with slashes", { [USER]: { model: "a/b/c" } }, "a b/c"],
  ["the project's", { [USER]: { model: "a/b" }, "project/opencode.json": { model: "c/d" } }, "c d"],
  ["that of a folder above", { [USER]: { model: "a/b" }, "opencode.jsonc": { model: "c/d" } }, "c d"],
  [
    "the nearest one",
    { "opencode.json": { model: "a/b" }, "project/.opencode/opencode.json": { model: "c/d" } },
    "c d",
  ],
  ["settings with comments", { [USER]: '{ // mine\n "model": "a/b", }' }, "a b"],
  ["settings that are none", { [USER]: "{", [STATE]: "[]" }, null],
];

test.each(CASES)("of %s", (_what, files, expected) => {
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  const model = readDefaultModel({ home, env: {} }, join(home, "project"));
  expect(model === null ? null : `${model.providerID} ${model.modelID}`).toBe(expected);
});
