import { TRIED_VERSIONS } from "@continuo/native";
import { expect, test } from "vitest";
import {
  byNewest,
  chosenVersions,
  KEPT_VERSIONS,
  olderVersions,
  readVersions,
  VERSIONED_AGENTS,
  withVersion,
} from "../agents/versions.ts";

test("each agent has its newest version first, the one that `doctor` compares with, and no more than are kept", () => {
  const versions = readVersions();
  expect(Object.keys(versions)).toEqual([...VERSIONED_AGENTS]);
  for (const agent of VERSIONED_AGENTS) {
    const all = versions[agent];
    expect(all[0]).toBe(TRIED_VERSIONS[agent]);
    expect(all).toEqual(all.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true })));
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeLessThanOrEqual(KEPT_VERSIONS);
  }
});

test("a run takes the versions that the variable names", () => {
  expect(chosenVersions("claude=2.1.331,pi=1.6.0-rc.1")).toEqual({ claude: "2.1.331", pi: "1.6.0-rc.1" });
  expect(chosenVersions("")).toEqual({});
});

test.each(["claude", "claude=latest", "cursor=1.0.0", "claude=1", "=1.0.0"])(
  "%s names no version",
  (text) => {
    expect(() => chosenVersions(text)).toThrow("takes AGENT=VERSION");
  },
);

test("the versions before the newest are run one by one, as far as an agent has them", () => {
  const one = { codex: ["1.0.0"], gemini: ["1.0.0"], opencode: ["1.0.0"], copilot: ["1.0.0"] };
  const versions = { ...one, claude: ["2.1.3", "2.1.2", "2.1.1"], pi: ["1.5.2", "1.5.1"] };
  expect(olderVersions(versions)).toEqual(["claude=2.1.2,pi=1.5.1", "claude=2.1.1"]);
  expect(olderVersions({ ...one, claude: ["2.1.3"], pi: ["1.5.2"] })).toEqual([]);
});

test.each([
  ["2.1.332", ["2.1.332", "2.1.330"]],
  ["2.1.1000", ["2.1.1000", "2.1.330"]],
  ["2.1.99", ["2.1.330", "2.1.99"]],
  ["2.1.330", ["2.1.330"]],
  ["2.1.330-beta.2", ["2.1.330", "2.1.330-beta.2"]],
])("taking in %s leaves the newest version in front", (version, kept) => {
  expect(withVersion(["2.1.330"], version)).toEqual(kept);
});

test("only as many versions are kept as the soak tries, and marked ones are older than their release", () => {
  const versions = ["3.0.0", "2.9.0", "2.8.0"];
  expect(withVersion(versions, "2.7.0")).toEqual(versions);
  expect(withVersion(versions, "3.0.1")).toEqual(["3.0.1", "3.0.0", "2.9.0"]);
  expect(["1.0.0-beta.2", "1.0.0", "1.0.0-beta.10"].toSorted(byNewest)).toEqual([
    "1.0.0",
    "1.0.0-beta.10",
    "1.0.0-beta.2",
  ]);
});
