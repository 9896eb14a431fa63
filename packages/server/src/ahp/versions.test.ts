import { expect, test } from "vitest";
import { chooseVersion } from "./versions.ts";

test.each([
  [["0.9.0", "0.7.0", "0.6.0"], "0.9.0"],
  [["0.9.0", "1.0.0"], "1.0.0"],
  [["1.2.0", "1.0.0"], "1.2.0"],
  [["0.9.0", "0.9.3", "0.9.1"], "0.9.3"],
  [["0.10.0", "0.8.0", "2.0.0", "00.9.0", "0.9", "0.9.0-rc", "v0.9.0"], undefined],
])("%j are answered with %s", (offered, chosen) => {
  expect(chooseVersion(offered)).toBe(chosen);
});
