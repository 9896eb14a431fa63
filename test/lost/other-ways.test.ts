/**
 * Sessions that are hidden by the same causes in other ways than in the recipes: each is named, restored, and hidden
 * again to the byte.
 */

import { test } from "vitest";
import { OTHER_WAYS } from "./other-ways.ts";
import { proveRecipe } from "./prove.ts";

test.each(OTHER_WAYS.map(([agent, recipe]) => ({ agent, recipe, ...recipe })))(
  "$agent, $title: $cause is named, and undone to the byte",
  async ({ agent, recipe }) => await proveRecipe(agent, recipe),
);
