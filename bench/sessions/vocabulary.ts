/**
 * The words of a corpus, with the number of different words and the distribution of a person's real sessions. A few
 * words make up most of the text, and most words are in only a few sessions (Zipf's law in Mandelbrot's form).
 */

/** English words, other scripts and accents come first, because they are used most. */
const COMMON =
  "the session reader keeps every record and folds it into a message while a test compares what was sent with what is shown because nothing may be lost when an agent stops in the middle of a turn and goes on later in another place über Straße 日本語 данные naïve".split(
    " ",
  );
export const WORDS = 58_000;
const STARTS =
  "b br c ch cl cr d dr f fl fr g gl gr h j k l m n p ph pl pr qu r s sc sh sl sp st str t th tr v w".split(
    " ",
  );
const MIDDLES = "a e i o u ai ea ee ie oa ou".split(" ");
const ENDS = "b ck ct d ff g l ll m n nd ng nt p r rd rm rt s ss st t x".split(" ");
const LAST = "ed er es ing ion ity ly ment ness or ous y".split(" ");
/** One of this number of words has an accent or another script. */
export const PER_FOREIGN = 200;
const FOREIGN = ["ä", "é", "ñ", "ø", "и", "我"];

/** The same words every time, the most frequent first. */
export function makeWords(): readonly string[] {
  const words = new Set(COMMON);
  for (let number = 0; words.size < WORDS; number++) words.add(wordOf(number));
  return [...words];
}

/** Short words come first, so that the most frequent words are short, as in natural languages. */
function wordOf(number: number): string {
  let rest = number;
  const digit = (parts: readonly string[]): string => {
    const part = parts[rest % parts.length] ?? "";
    rest = Math.floor(rest / parts.length);
    return part;
  };
  const start = digit(STARTS) + digit(MIDDLES) + digit(ENDS);
  const more = rest === 0 ? "" : digit(LAST);
  const foreign = number % PER_FOREIGN === 7 ? (FOREIGN[number % FOREIGN.length] ?? "") : "";
  return `${start}${foreign}${more}${rest === 0 ? "" : wordOf(rest)}`;
}

/** Converts a random number below 1 to the number of a word below `count`, by the frequency of words. */
export function zipf(count: number): (random: number) => number {
  const upTo = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 2.7) ** 1.05;
    upTo[rank] = sum;
  }
  return (random) => {
    const wanted = random * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
