/** A clone that cannot take a work tree is refused and does not change; linked work trees move like others. */

import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { type Git, gitIn } from "./tree-shapes.ts";
import { apply, filesOf, makeClones, pack, shown } from "./work-trees.ts";

let root: string;

beforeEach(() => {
  root = scratchFolder("work-tree");
});

test("a linked work tree moves into a clone, and a clone into a linked work tree", async () => {
  const { here, there } = makeClones(root);
  here("worktree", "add", "--quiet", "-b", "side", join(root, "linked"));
  const linked = gitIn(join(root, "linked"));
  linked.write("src/start.ts", "export const start = 4;\n");
  linked("add", "src/start.ts");
  linked.write("more.txt", "more\n");
  await apply(there, await pack(linked));
  expect(shown(there)).toEqual(shown(linked));
  there("commit", "--quiet", "--all", "--message=Go on there");
  there.write("more.txt", "and more\n");
  linked("reset", "--quiet", "--hard");
  linked("clean", "--quiet", "--force");
  await apply(linked, await pack(there));
  expect(shown(linked)).toEqual(shown(there));
});

describe("a clone is refused, and does not change,", () => {
  const cases: readonly (readonly [string, string, (here: Git, there: Git) => void])[] = [
    [
      "with changes of its own",
      "conflict",
      (_here, there) => {
        there.write("src/start.ts", "mine\n");
        there("add", "src/start.ts");
      },
    ],
    ["with an edit that only it has", "conflict", (_here, there) => there.write("src/start.ts", "mine\n")],
    [
      "with another file at the path of a new one",
      "conflict",
      (_here, there) => there.write("new.txt", "mine\n"),
    ],
    [
      "with commits of its own on the branch",
      "conflict",
      (_here, there) => {
        there("commit", "--quiet", "--allow-empty", "--message=Mine");
      },
    ],
    [
      "without the commits before",
      "not_found",
      (here) => {
        here("commit", "--quiet", "--allow-empty", "--message=Pushed");
        here("push", "--quiet", "origin", "HEAD:refs/heads/elsewhere");
      },
    ],
    [
      "in which git ignores modes",
      "verification_failed",
      (here, there) => {
        chmodSync(join(here.folder, "src/start.ts"), 0o755);
        there("config", "core.fileMode", "false");
      },
    ],
    [
      "whose origin is another repository",
      "not_found",
      (_here, there) => {
        there("checkout", "--quiet", "--orphan", "other");
        there("commit", "--quiet", "--message=Another beginning");
        there("branch", "--quiet", "-D", "main");
        there("update-ref", "-d", "refs/remotes/origin/HEAD");
        there("update-ref", "-d", "refs/remotes/origin/main");
        there("reflog", "expire", "--expire=now", "--all");
        there("gc", "--quiet", "--prune=now");
      },
    ],
  ];
  test.each(cases)("%s", async (_name, code, arrange) => {
    const { here, there } = makeClones(root);
    here.write("new.txt", "new\n");
    here.write("README.md", "# Changed\n");
    arrange(here, there);
    const packed = await pack(here);
    const before = [shown(there), filesOf(there)];
    await expect(apply(there, packed)).rejects.toMatchObject({ code });
    expect([shown(there), filesOf(there)]).toEqual(before);
    expect(existsSync(join(there.folder, ".git/continuo-move.json"))).toBe(false);
  });
});

test("a rebase that is not finished is refused with a hint", async () => {
  const { here } = makeClones(root);
  mkdirSync(join(here.folder, ".git/rebase-merge"));
  await expect(pack(here)).rejects.toMatchObject({
    code: "unsupported",
    hint: expect.stringContaining("abort"),
  });
});

test("bytes that changed on the way are refused, and the clone does not change", async () => {
  const { here, there } = makeClones(root);
  here.write("README.md", "# Changed\n");
  const packed = await pack(here);
  writeFileSync(join(packed, "contents"), "# Charmed\n");
  const before = shown(there);
  await expect(apply(there, packed)).rejects.toMatchObject({ code: "corrupt" });
  expect(shown(there)).toEqual(before);
});
