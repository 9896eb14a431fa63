/** A work tree with changes is recreated in another clone: `git status` and `git diff` print the same there. */

import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  commitsHere,
  commitsToOffer,
  fingerprintOf,
  isSafeTreePath,
  packWorkTree,
  parseState,
  readWorkTree,
} from "@continuo/agents/handoff/work-tree";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { QUICK_SHAPES } from "./tree-shapes.ts";
import { apply, expectSameChanges, makeClones, open, pack, placesIn } from "./work-trees.ts";

let root: string;

beforeEach(() => {
  root = scratchFolder("work-tree");
});

test.each(QUICK_SHAPES.map((shape) => [shape.name, shape] as const))(
  "%s: status and diff are the same in the other clone",
  async (_name, shape) => await expectSameChanges(root, shape),
);

test("only the commits that the other clone lacks travel", async () => {
  const { here, there } = makeClones(root);
  for (const [at, folder] of [here, here, there].entries()) {
    folder("commit", "--quiet", "--allow-empty", `--message=Commit ${at}`);
  }
  const offered = await commitsToOffer(await open(here.folder));
  expect(offered).toContain(here("rev-parse", "HEAD").trim());
  const known = await commitsHere(await open(there.folder), offered);
  expect(known).toContain(here("rev-parse", "HEAD~2").trim());
  expect(known).not.toContain(here("rev-parse", "HEAD").trim());
  const read = await readWorkTree(await open(here.folder), { places: placesIn(root) });
  expect((await packWorkTree(read, join(root, "packed"), { known })).commits).toBe(2);
});

test("no program that a hostile repository names is started", async () => {
  const { here, there } = makeClones(root, {
    prepare: (git) => {
      git.write(".gitattributes", "*.ts filter=evil\n*.md filter=worse\n");
      git("add", "--all");
      git("commit", "--quiet", "--message=Filters");
    },
  });
  const mark = join(root, "ran");
  const program = join(root, "evil.sh");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat\n`);
  chmodSync(program, 0o755);
  for (const { folder } of [here, there]) {
    const settings = [
      ["core.fsmonitor", program],
      ["core.hooksPath", join(folder, ".git", "hooks")],
      ["core.pager", program],
      ["core.sshCommand", program],
      ["core.alternateRefsCommand", program],
      ["diff.external", program],
      ["filter.evil.clean", program],
      ["filter.evil.smudge", program],
      ["filter.evil.required", "true"],
      ["filter.worse.process", program],
      ["protocol.ext.allow", "always"],
    ] as const;
    const text = settings.map(([key, value]) => {
      const [, section, name, last] = /^(\w+)(?:\.(\w+))?\.(\w+)$/u.exec(key) ?? [];
      return `[${section}${name === undefined ? "" : ` "${name}"`}]\n\t${last} = ${value}\n`;
    });
    writeFileSync(
      join(folder, ".git", "config"),
      readFileSync(join(folder, ".git/config"), "utf8") + text.join(""),
    );
    for (const hook of ["post-checkout", "post-index-change", "reference-transaction", "post-merge"]) {
      writeFileSync(join(folder, ".git", "hooks", hook), `#!/bin/sh\necho ${hook} >> ${mark}\n`);
      chmodSync(join(folder, ".git", "hooks", hook), 0o755);
    }
  }
  writeFileSync(join(here.folder, "src/start.ts"), "export const start = 7;\n");
  writeFileSync(join(here.folder, "README.md"), "# Other\n");
  const read = await readWorkTree(await open(here.folder), { places: placesIn(root) });
  await packWorkTree(read, join(root, "packed"));
  await apply(there, join(root, "packed"));
  expect(readFileSync(join(there.folder, "src/start.ts"), "utf8")).toBe("export const start = 7;\n");
  expect(existsSync(mark)).toBe(false);
});

test("settings that set another work tree are refused", async () => {
  const { here } = makeClones(root);
  mkdirSync(join(root, "secret"));
  writeFileSync(join(root, "secret", "key"), "k");
  here("config", "core.worktree", join(root, "secret"));
  await expect(open(here.folder)).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringContaining("has its work tree elsewhere"),
  });
});

const STATE = {
  version: 1,
  head: null,
  branch: "main",
  objectFormat: "sha1",
  index: [],
  files: [],
  operation: {},
  submodules: [],
};
const HASH = "0123456789abcdef".repeat(4);
const file = (path: string) => ({ path, kind: "file", sizeBytes: 1, sha256: HASH });

test.each([
  ["a path that leads up", { files: [file("../x")] }],
  ["an absolute path", { files: [file("/etc/x")] }],
  ["a path into the folder of git", { files: [file(".git/hooks/post-checkout")] }],
  ["the folder of git in capitals", { files: [file("a/.GIT/config")] }],
  ["the folder of git by its short name", { files: [file("git~1/config")] }],
  ["the folder of git with a zero-width letter", { files: [file(".g\u200cit/config")] }],
  ["a path in the index that leads up", { index: [{ path: "a/../../x", entries: [] }] }],
  [
    "a mode of a folder",
    { index: [{ path: "a", entries: [{ mode: "040000", object: "a".repeat(40), stage: 0 }] }] },
  ],
  ["a file below another file", { files: [file("a"), file("a/b")] }],
  ["one path twice", { files: [file("a"), file("a")] }],
  ["a branch that looks like a flag", { branch: "--upload-pack=x" }],
  ["a file of git that does not belong to an operation", { operation: { config: "x" } }],
  ["a submodule outside", { submodules: [{ path: "../x", isClean: true, state: STATE }] }],
  ["more bytes than the limit", { files: [{ ...file("a"), sizeBytes: 3 * 1024 ** 3 }] }],
])("a state with %s is refused", (_name, change) => {
  expect(() => parseState({ ...STATE, ...change })).toThrow(expect.objectContaining({ code: "corrupt" }));
});

test("a state is read back as written, and a state of a later version is refused", () => {
  const state = { ...STATE, files: [file("a b"), file("ä/日本")] };
  expect(parseState(state)).toEqual(state);
  expect(fingerprintOf(parseState(state))).toMatch(/^[0-9a-f]{64}$/u);
  expect(() => parseState({ ...STATE, version: 2 })).toThrow(
    expect.objectContaining({ code: "unsupported" }),
  );
  expect([isSafeTreePath("a\\b", "linux"), isSafeTreePath("a\\b", "win32")]).toEqual([true, false]);
});

test("a packed file is not written through a link of the clone", async () => {
  const { here, there } = makeClones(root);
  here.write("deep/one.txt", "one\n");
  const packed = await pack(here);
  mkdirSync(join(root, "outside"));
  symlinkSync(join(root, "outside"), join(there.folder, "deep"));
  await expect(apply(there, packed)).rejects.toMatchObject({ code: "corrupt" });
  expect(existsSync(join(root, "outside/one.txt"))).toBe(false);
});
