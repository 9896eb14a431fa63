/** Facts about single languages: words that mark a new subject, are filler, or name the speaker. */

import { languageOf, STOP_WORDS } from "./content-words.ts";

interface Language {
  /** Beginnings of sentences that change the subject. */
  readonly marks: RegExp;
  /** Sentences that say nothing of the subject: greetings, thanks, advertisements. */
  readonly filler: RegExp;
  /** Words by which speakers name themselves. */
  readonly self: RegExp;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  en: {
    marks:
      /^(?:now|next|so what|okay|ok|all right|alright|let us|let's|let me|another|finally|lastly|the (?:next|last|second|third|other|biggest|first)|first of all|secondly|thirdly|moving on|turning to|after that|in the end|to sum up|my (?:first|next|last)|but (?:what|how|why)|can we|what about|and who|today)\b/iu,
    filler:
      /\b(?:welcome (?:back|to)|welcome everyone|you(?:'re| are) listening to|subscribe|like button|hit the bell|sponsored by|brought to you by|people who make this possible|(?:short|quick) break|right back|at the checkout|use (?:the |my )?code|percent off|free trial|link (?:is )?(?:in|below)|description below|promo code|thank you (?:so|very) much\.?$|thank(?:s| you) (?:so much |very much )?for (?:watching|coming|having|joining|listening|inviting)|see you (?:next|in the next|soon|later)|good (?:morning|evening|afternoon)|bye bye|my name is|what's up|hey (?:everybody|everyone|guys)|hi (?:everybody|everyone|guys)|hello (?:everybody|everyone|guys|and)|let us begin|let's begin|let's get started|glad (?:that )?you are here)\b/iu,
    self: /\b(?:i|me|my|mine|myself)\b/iu,
  },
  de: {
    marks:
      /^(?:nun|jetzt|als nächstes|kommen wir|schauen wir|zum schluss|zuletzt|schließlich|erstens|zweitens|drittens|danach|eine andere|ein anderer|das nächste|der nächste|die nächste|heute|im jahr|außerdem)(?:\s|,|$)/iu,
    filler:
      /(?:^|\s)(?:herzlich willkommen|willkommen zurück|abonniert|abonnieren|glocke|danke fürs|dank fürs|vielen dank für|schönen (?:tag|abend) noch|damit sind wir am ende|bis zum nächsten|bis bald|tschüss|guten (?:tag|morgen|abend)|hallo (?:und|zusammen|leute)|schön dass ihr|schön, dass ihr|mein name ist|gesponsert|rabatt|das war es für heute|das war's)(?:\s|[.,!]|$)/iu,
    self: /(?<!\p{L})(?:ich|mich|mir|mein(?:e[mnrs]?)?)(?!\p{L})/iu,
  },
  ja: {
    marks: /^(?:さて|次に|次は|では|それでは|最後に|まず|続いて|ところで|一方)/u,
    filler:
      /(?:こんにちは|こんばんは|おはようございます|ありがとうございま|チャンネル登録|高評価|またお会い|また次回|さようなら|よろしくお願い|提供でお送り)/u,
    self: /(?:私|僕|俺|わたし)(?!たち|達)/u,
  },
  ar: {
    marks: /^(?:والآن|الآن|ننتقل|بعد ذلك|وأخيرا|أخيرا|ثم ننتقل|أولا|ثانيا|ثالثا|في الختام|نأتي)/u,
    filler: /(?:السلام عليكم|أهلا وسهلا|أهلا بكم|مرحبا|شكرا|اشترك|إلى اللقاء|مع السلامة|لا تنسوا)/u,
    self: /(?<!\p{L})و?(?:أنا|عندي|لي|أظن|أعرف|أدري)(?!\p{L})/u,
  },
};

const NEVER = /^$/u;

const UNKNOWN: Language = {
  marks: NEVER,
  filler: NEVER,
  self: NEVER,
};

function languageFacts(lang: string): Language {
  return LANGUAGES[languageOf(lang)] ?? UNKNOWN;
}

/** True if a sentence announces a new subject. */
export function isDiscourseMark(text: string, lang: string): boolean {
  return languageFacts(lang).marks.test(text);
}

/** True if a sentence is a greeting, thanks or an advertisement. */
export function isFiller(text: string, lang: string): boolean {
  return languageFacts(lang).filler.test(text.slice(0, LONGEST_READ));
}

/** True if speakers name themselves in a sentence. */
export function isAboutSpeaker(text: string, lang: string): boolean {
  return languageFacts(lang).self.test(text.slice(0, LONGEST_READ));
}

const LONGEST_READ = 1_000;

const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "ja"],
  [/\p{Script=Han}/u, "zh"],
  [/\p{Script=Arabic}/u, "ar"],
  [/\p{Script=Thai}/u, "th"],
  [/\p{Script=Hangul}/u, "ko"],
];

/**
 * The language of words without a known language: by their script, otherwise by their function words; `und` if neither
 * shows it.
 */
export function languageIn(words: readonly string[]): string {
  const text = words.join(" ");
  const script = SCRIPTS.find(([pattern]) => pattern.test(text));
  if (script !== undefined) return script[1];
  let best = { lang: "und", count: 1 };
  for (const [lang, stops] of Object.entries(STOP_WORDS)) {
    const count = words.filter((word) => stops.has(word)).length;
    if (count > best.count) best = { lang, count };
  }
  return best.lang;
}
