/** The queries of a search in an index that lacks sessions which the quick size leaves out. */

import { testMixedSearch } from "./mixed-cases.ts";

testMixedSearch({
  oneOrder: ["needle", "needle magnet", "how do I find the magnet in a haystack?"],
  sameRank: ["needle haystack", "needle magnet"],
  best: ["needle", "since:2024-12-20"],
});
