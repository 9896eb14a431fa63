import { userInfo } from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { homeOfThisUser } from "./environment.ts";

afterEach(() => vi.unstubAllEnvs());

test.each(["", "relative"])(
  "HOME=%j is not the current folder: the system's user table has the home",
  (home) => {
    vi.stubEnv("HOME", home);
    expect(homeOfThisUser()).toBe(userInfo().homedir);
  },
);

test("an absolute HOME is the home", () => {
  vi.stubEnv("HOME", "/home/ann");
  expect(homeOfThisUser()).toBe("/home/ann");
});
