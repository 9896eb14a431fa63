/** Facts about single languages: words that begin a clause, that end none, that mark a new subject or are filler. */

import { languageOf, STOP_WORDS } from "./content-words.ts";

interface Language {
  /** Words with which a clause begins. */
  readonly starters: ReadonlySet<string>;
  /** Words that begin a sentence of two parts. */
  readonly subordinate: ReadonlySet<string>;
  /** Words with which no sentence ends. */
  readonly hanging: ReadonlySet<string>;
  /** Beginnings of sentences that turn to something else. */
  readonly marks: RegExp;
  /** Sentences that say nothing of the subject: greetings, thanks, advertisements. */
  readonly filler: RegExp;
  /** Words by which speakers name themselves. */
  readonly self: RegExp;
}

const NONE: ReadonlySet<string> = new Set();

const LANGUAGES: Readonly<Record<string, Language>> = {
  en: {
    starters:
      wordsOf(`and but because when if while although though since unless until before after where which who or
      so then`),
    subordinate: wordsOf("when if because while although though since unless until before after as without"),
    hanging:
      wordsOf(`a an the of to in on at by for with from and but or so because if when while that which who whose
      has have had will would can could should may might must do does did not very its his her
      their our your my this these those into than as it's that's there's every each no about`),
    marks:
      /^(?:now|next|so what|okay|ok|all right|alright|let us|let's|let me|another|finally|lastly|the (?:next|last|second|third|other|biggest|first)|first of all|secondly|thirdly|moving on|turning to|after that|in the end|to sum up|my (?:first|next|last)|but (?:what|how|why)|can we|what about|and who|today)\b/iu,
    filler:
      /\b(?:welcome (?:back|to)|welcome everyone|subscribe|like button|hit the bell|sponsored by|use (?:the |my )?code|percent off|free trial|link (?:is )?(?:in|below)|description below|promo code|thank(?:s| you) (?:so much |very much )?for (?:watching|coming|having|joining|listening|inviting)|see you (?:next|in the next|soon|later)|good (?:morning|evening|afternoon)|bye bye|my name is|what's up|hey (?:everybody|everyone|guys)|hi (?:everybody|everyone|guys)|hello (?:everybody|everyone|guys|and)|let us begin|let's begin|let's get started|glad (?:that )?you are here)\b/iu,
    self: /\b(?:i|me|my|mine|myself)\b/iu,
  },
  de: {
    starters:
      wordsOf(`und aber denn weil wenn als während obwohl damit dass sodass bevor nachdem wo dann deshalb deswegen
      darum doch sondern oder das die der den dem wird`),
    subordinate: wordsOf("wenn weil als während obwohl damit bevor nachdem je ohne"),
    hanging:
      wordsOf(`der die das den dem des ein eine einen einem einer eines und aber oder weil wenn dass von zu zum zur
      mit für bei nach aus in im am an auf über unter vor ist sind war waren hat haben wird werden kann muss sehr nicht
      sein seine ihr ihre mein meine dein deine unser unsere dieser diese dieses jeder jede jedes kein keine als müssen können sollen wollen dürfen deshalb`),
    marks:
      /^(?:nun|jetzt|als nächstes|kommen wir|schauen wir|zum schluss|zuletzt|schließlich|erstens|zweitens|drittens|danach|eine andere|ein anderer|das nächste|der nächste|die nächste|heute|im jahr|außerdem)(?:\s|,|$)/iu,
    filler:
      /(?:^|\s)(?:herzlich willkommen|willkommen zurück|abonniert|abonnieren|glocke|danke fürs|vielen dank für|bis zum nächsten|bis bald|tschüss|guten (?:tag|morgen|abend)|hallo (?:und|zusammen|leute)|schön dass ihr|schön, dass ihr|mein name ist|gesponsert|rabatt|das war es für heute|das war's)(?:\s|[.,!]|$)/iu,
    self: /(?<!\p{L})(?:ich|mich|mir|mein(?:e[mnrs]?)?)(?!\p{L})/iu,
  },
  ja: {
    starters: wordsOf("そして でも しかし だから それで それから また ところが なので"),
    subordinate: NONE,
    hanging: NONE,
    marks: /^(?:さて|次に|次は|では|それでは|最後に|まず|続いて|ところで|一方)/u,
    filler:
      /(?:こんにちは|こんばんは|おはようございます|ありがとうございま|チャンネル登録|高評価|またお会い|また次回|さようなら|よろしくお願い|提供でお送り)/u,
    self: /(?:私|僕|俺|わたし)(?!たち|達)/u,
  },
  ar: {
    starters: wordsOf("و لكن لأن ثم عندما إذا حيث بينما كما لذلك قبل حتى"),
    subordinate: wordsOf("عندما إذا بينما حيث"),
    hanging: wordsOf("في من إلى على عن مع أن إن هذا هذه ذلك تلك التي الذي كان كانت و أو لكن لأن ثم"),
    marks: /^(?:والآن|الآن|ننتقل|بعد ذلك|وأخيرا|أخيرا|ثم ننتقل|أولا|ثانيا|ثالثا|في الختام|نأتي)/u,
    filler: /(?:السلام عليكم|أهلا وسهلا|أهلا بكم|مرحبا|شكرا|اشترك|إلى اللقاء|مع السلامة|لا تنسوا)/u,
    self: /(?<!\p{L})و?(?:أنا|عندي|لي|أظن|أعرف|أدري)(?!\p{L})/u,
  },
};

const NEVER = /^$/u;

const UNKNOWN: Language = {
  starters: NONE,
  subordinate: NONE,
  hanging: NONE,
  marks: NEVER,
  filler: NEVER,
  self: NEVER,
};

export function languageFacts(lang: string): Language {
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

/** The language of words without one: by their script, else by their function words; `und` where nothing says it. */
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

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/u));
}
