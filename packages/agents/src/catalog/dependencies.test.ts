import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { statFile } from "@continuo/files";
import type { FoundSession } from "@continuo/native/kit";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { areDependenciesUnchanged, createStampOfDependency, toDependencyStamps } from "./dependencies.ts";

const READERS = [
  { agent: "pi", fileIdOf: (path: string) => path.split("/").at(-1) ?? "" },
  { agent: "codex", fileIdOf: (path: string) => path.split("/").at(-1) ?? "" },
] as unknown as Parameters<typeof createStampOfDependency>[1];

test("a session depends on files next to it, and on one that was missing and appears for its agent", () => {
  const beside = join(scratchFolder("dependencies"), "titles.json");
  writeFileSync(beside, "{}");
  const there = [statFile(beside)].filter((file) => file !== null);
  const stamps = toDependencyStamps("pi", { there, gone: ["source"] });
  const found = (agent: string): FoundSession =>
    ({ agent, files: [{ path: "/sessions/source" }] }) as unknown as FoundSession;
  const isUnchanged = (all: readonly FoundSession[]): boolean =>
    areDependenciesUnchanged(
      stamps,
      createStampOfDependency(() => all, READERS),
    );
  expect([isUnchanged([]), isUnchanged([found("codex")]), isUnchanged([found("pi")])]).toEqual([
    true,
    true,
    false,
  ]);
  writeFileSync(beside, '{"title":"Tea"}');
  expect(isUnchanged([])).toBe(false);
});
