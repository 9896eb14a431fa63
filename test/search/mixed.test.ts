import { testMixedSearch } from "./mixed-cases.ts";

testMixedSearch({
  oneOrder: ["needle haystack"],
  sameRank: ["needle"],
  best: ["needle haystack", "-nothing needle"],
});
