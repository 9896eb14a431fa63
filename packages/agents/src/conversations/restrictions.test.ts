import { expect, test } from "vitest";
import { describeRestriction } from "./restrictions.ts";

const RESTRICTION = { folder: "/work/app", isTrusted: false, files: [], variables: [] };

test("files of the project are named below its folder, others by their path, with what allows them", () => {
  const files = ["/work/app/.mcp.json", "/work/CLAUDE.md"];
  expect(describeRestriction("claude", { ...RESTRICTION, files })).toBe(
    "claude starts without .mcp.json, /work/CLAUDE.md; this folder is not trusted: `continuo trust`",
  );
});

test("a few variables are named, many are counted, and `env: deny` is named as their reason", () => {
  const variables = ["GH_TOKEN", "NPM_TOKEN"];
  expect(describeRestriction("pi", { ...RESTRICTION, variables })).toBe(
    "pi starts without GH_TOKEN, NPM_TOKEN; this folder is not trusted: `continuo trust`",
  );
  const many = Array.from({ length: 30 }, (_, at) => `V${at}`);
  expect(describeRestriction("pi", { ...RESTRICTION, files: ["/work/app/.pi"], variables: many })).toBe(
    "pi starts without .pi and 30 variables (V0, V1, …); this folder is not trusted: `continuo trust`",
  );
  expect(describeRestriction("pi", { ...RESTRICTION, isTrusted: true, variables })).toBe(
    "pi starts without GH_TOKEN, NPM_TOKEN; `env: deny` of the configuration keeps them",
  );
});
