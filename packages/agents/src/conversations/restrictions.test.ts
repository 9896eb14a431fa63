import { expect, test } from "vitest";
import { describeRestriction } from "./restrictions.ts";

const RESTRICTION = { folder: "/work/app", isTrusted: false, files: [], variables: [] };

test("files of the project are named below its folder, others by their path, with what allows them", () => {
  const files = ["/work/app/.mcp.json", "/work/CLAUDE.md"];
  expect(describeRestriction("claude", { ...RESTRICTION, files })).toEqual([
    "claude starts without .mcp.json, /work/CLAUDE.md: the folder is not trusted. `continuo trust` allows them.",
  ]);
});

test("variables are named, with what passes them: trust, or the configuration that denies them", () => {
  const variables = ["GH_TOKEN", "NPM_TOKEN"];
  expect(describeRestriction("pi", { ...RESTRICTION, variables })).toEqual([
    "pi does not inherit GH_TOKEN, NPM_TOKEN. `continuo trust`, or `env: pass` in your own continuo.yaml, passes them.",
  ]);
  expect(describeRestriction("pi", { ...RESTRICTION, isTrusted: true, variables })).toEqual([
    "pi does not inherit GH_TOKEN, NPM_TOKEN. `env: deny` of the configuration keeps them.",
  ]);
});
