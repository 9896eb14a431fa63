/** The causes made in other ways than by the recipes: each is named, brought back, and undone to the byte. */

import { test } from "vitest";
import { OTHER_WAYS } from "./other-ways.ts";
import { proveRecipe } from "./prove.ts";

test.each(OTHER_WAYS.map(([agent, recipe]) => ({ agent, recipe, ...recipe })))(
  "$agent, $title: $cause is named, and undone to the byte",
  async ({ agent, recipe }) => await proveRecipe(agent, recipe),
);
