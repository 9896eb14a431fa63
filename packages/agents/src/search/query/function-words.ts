/** Words of English that say nothing about the text in which they stand, and words with which questions begin. Pure. */

const QUESTION_WORDS =
  "who whom whose what when where which why how did do does is are was were can could should has have had".split(
    " ",
  );

const FUNCTION_WORDS: ReadonlySet<string> = new Set([
  ...QUESTION_WORDS,
  ..."a an the this that these those of for to in on at by with from into about as and or but not no if then than so".split(
    " ",
  ),
  ..."i me my mine we us our you your he she it its his her they them their there here be been being am will would may".split(
    " ",
  ),
  ..."might must shall just also too very again ever much many some any all now currently please tell say said get got".split(
    " ",
  ),
  ..."s t d m ll re ve".split(" "),
]);

export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word);
}

/** True for a sentence that asks something, as people write to people. */
export function isQuestion(text: string): boolean {
  const words = text.trim().toLowerCase().split(/\s+/u);
  if (words.length < 3 || text.includes('"')) return false;
  return text.trim().endsWith("?") || QUESTION_WORDS.includes(words[0] ?? "");
}
