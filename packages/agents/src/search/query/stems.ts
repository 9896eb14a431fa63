/** Other forms of an English word, so that `migrating` finds `migration`, and `paid` finds `pay`. Pure. */

/** Endings that a form may have, the longest first. What is left has at least this number of letters. */
const ENDINGS: readonly (readonly [ending: string, least: number])[] = [
  ["ations", 4],
  ["ation", 4],
  ["ments", 4],
  ["ment", 4],
  ["ings", 3],
  ["ing", 3],
  ["ions", 4],
  ["ion", 4],
  ["ied", 3],
  ["ies", 3],
  ["ers", 4],
  ["er", 4],
  ["ed", 3],
  ["es", 3],
  ["ly", 4],
  ["s", 3],
  ["y", 4],
  ["e", 3],
];

/** The beginning of a form, without its ending; the word itself where it is short or of another script. */
export function stemOf(word: string): string {
  if (!/^[a-z]{4,}$/u.test(word) || word.endsWith("ss")) return word;
  const [ending] = ENDINGS.find(
    ([one, least]) => word.endsWith(one) && word.length - one.length >= least,
  ) ?? [""];
  const stem = word.slice(0, word.length - ending.length);
  // The consonant of `planning` is doubled only before an ending.
  const isDoubled = ending !== "" && ending !== "s" && ending !== "e" && /([bdgklmnprt])\1$/u.test(stem);
  return isDoubled && stem.length > 3 && !stem.endsWith("ll") ? stem.slice(0, -1) : stem;
}

const IRREGULAR: readonly (readonly string[])[] = [
  "begin began begun",
  "break broke broken",
  "build built",
  "buy bought",
  "catch caught",
  "choose chose chosen",
  "do did done",
  "drive drove driven",
  "eat ate eaten",
  "fall fell fallen",
  "find found",
  "fly flew flown",
  "forget forgot forgotten",
  "get got gotten",
  "give gave given",
  "go went gone",
  "hold held",
  "keep kept",
  "know knew known",
  "leave left",
  "lose lost",
  "make made",
  "mean meant",
  "meet met",
  "pay paid",
  "run ran",
  "say said",
  "see saw seen",
  "sell sold",
  "send sent",
  "sleep slept",
  "speak spoke spoken",
  "spend spent",
  "take took taken",
  "teach taught",
  "tell told",
  "think thought",
  "throw threw thrown",
  "win won",
  "write wrote written",
].map((forms) => forms.split(" "));

/** Forms that share no beginning with the word. */
export function irregularFormsOf(word: string): readonly string[] {
  const forms = IRREGULAR.find((all) => all.includes(word)) ?? [];
  return forms.filter((form) => form !== word);
}
