/** `continuo pick` where there is no terminal; with one: `pick.full.test.ts`. */

import { expect, test } from "vitest";
import { createHome } from "./home.ts";
import { runHere } from "./in-process.ts";

test("without a terminal it is a usage error", async () => {
  using empty = createHome();
  const { code, stderr } = await runHere(empty, ["pick"]);
  expect([code, stderr]).toEqual([
    2,
    "continuo: cannot open the picker without a terminal\nRun `continuo session list` to print the sessions.\n",
  ]);
});
