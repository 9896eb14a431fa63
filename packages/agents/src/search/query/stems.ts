/** Other forms of an English word, so that `migrating` finds `migration`, and `paid` finds `pay`. Pure. */

/** Endings of forms; `ations` comes before `s`. An ending is removed only if at least `least` letters remain. */
const ENDINGS: readonly (readonly [ending: string, least: number])[] = [
  ["ations", 4],
  ["ation", 4],
  ["ments", 4],
  ["ment", 4],
  ["ings", 3],
  ["ing", 3],
  ["ions", 4],
  ["ion", 4],
  ["ers", 4],
  ["er", 4],
  ["ed", 3],
  ["es", 3],
  ["ly", 4],
  ["s", 3],
  ["e", 3],
];

/** Words that only look as if they had an ending. */
const WHOLE: ReadonlySet<string> = new Set(
  [
    "anomaly assembly comply family monopoly multiply supply",
    "banner better bitter butter chatter clutter copper critter dagger dinner flutter glimmer glitter gutter hammer",
    "ladder latter letter litter manner matter pepper platter rubber scatter shatter shimmer shudder simmer slipper",
    "splatter stagger stammer stutter summer supper swagger trigger twitter",
  ].flatMap((line) => line.split(" ")),
);

/** Verbs double their last consonant before these endings. */
const DOUBLING: ReadonlySet<string> = new Set(["ing", "ings", "ed", "er", "ers", "ation", "ations"]);
/** The doubled consonant of `planning` and `cancelled`. A verb of one syllable, such as `call`, ends in -ll itself. */
const DOUBLED = /(?:([bdgkmnprt])\1|[aeiou][^aeiou]*[aeo]ll)$/u;
const ENDS_IN_LL = /(?:call|fall|stall|[ensy]roll|spell|tell|quell)$/u;

/** Every ending of a word in -y after a consonant: `copy`, `copies`, `copied`, `copier`, `copiers`. */
const Y_END = /^([a-z]+[b-df-hj-np-tv-z])(?:y|ies|ied|iers?)$/u;
/** Few other words begin with this many letters before a -y, such as `librar`. */
const LONG = 6;

/** The beginning of a form, without its ending; the word itself if it is short or of another script. */
export function stemOf(word: string): string {
  if (!/^[a-z]{3,}$/u.test(word) || word.endsWith("ss")) return word;
  const whole = word.replace(/(?:s|ed|ings?|ly|ments?)$/u, "");
  if (WHOLE.has(word) || WHOLE.has(whole)) return stemBeforeY(WHOLE.has(word) ? word : whole);
  const isAdverb = word.endsWith("ly") && word.length >= 6;
  return isAdverb || !Y_END.test(word) ? stemBeforeY(withoutEnding(word)) : stemBeforeY(word);
}

/** Words in -y change that letter before an ending, so it belongs to the stem only after fewer than `LONG` letters. */
function stemBeforeY(word: string): string {
  const [, before] = Y_END.exec(word) ?? [];
  if (before === undefined) return word;
  return before.length < LONG ? `${before}y` : before;
}

function withoutEnding(word: string): string {
  const [ending] = ENDINGS.find(
    ([one, least]) => word.endsWith(one) && word.length - one.length >= least,
  ) ?? [""];
  const stem = word.slice(0, word.length - ending.length);
  const isDoubled = DOUBLING.has(ending) && stem.length > 3 && DOUBLED.test(stem) && !ENDS_IN_LL.test(stem);
  return isDoubled ? stem.slice(0, -1) : stem;
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

/** Forms that do not begin with the stem of the word. */
export function otherFormsOf(word: string): readonly string[] {
  const forms = IRREGULAR.find((all) => all.includes(word)) ?? [];
  return [...forms, ...formsInY(word)].filter((form) => form !== word);
}

/** Returns `copies` for `copy`, and `movie` for `movies`, which could also be a form of `movy`. */
function formsInY(word: string): readonly string[] {
  const [before] = /^[a-z]+[b-df-hj-np-tv-z](?=y$)/u.exec(stemOf(word)) ?? [];
  if (before === undefined) return [];
  const endings = ["ies", "ied", "ier", "iers", ...(word.endsWith("ies") ? ["ie"] : [])];
  return endings.map((ending) => before + ending);
}
