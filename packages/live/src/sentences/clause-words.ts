/** Function words that show if the place between two words is the end of a clause. Data. */

import { languageOf } from "./content-words.ts";

export interface ClauseWords {
  /** Words that hardly ever end a clause: articles, prepositions, pronouns that are subjects. */
  readonly hanging: ReadonlySet<string>;
  /** Words that seldom end a clause. */
  readonly seldomLast: ReadonlySet<string>;
  /** Words that never begin a clause. */
  readonly neverFirst: ReadonlySet<string>;
  /** Words that often begin a clause: pronouns, conjunctions, adverbs. */
  readonly opening: ReadonlySet<string>;
  /**
   * Words of `opening` that are the subject or the object of a verb: if a word of `afterObject` follows, it is the
   * object.
   */
  readonly objects?: ReadonlySet<string>;
  /** Words that follow an object, and never a subject: prepositions, articles, conjunctions, other pronouns. */
  readonly afterObject?: ReadonlySet<string>;
  /** Articles and similar words, which can begin a clause. */
  readonly determiners: ReadonlySet<string>;
  /** These words begin a clause if a word of `opening` or `determiners` follows; otherwise they join two words. */
  readonly joining: ReadonlySet<string>;
  /** A conjunction that is written as the first letter of a word. */
  readonly joiningLetter: RegExp | null;
}

const NONE: ReadonlySet<string> = new Set();

const WORDS: Readonly<Record<string, ClauseWords>> = {
  en: {
    hanging:
      wordsOf(`a an the of to at by for with from and but or because if when while which who whose has have had will
      would can could should may might must very its his our your my these into than as it's that's there's every each no
      i we he they i'm you're we're they're he's she's i've we've you've they've i'd we'd he'd i'll we'll you'll they'll
      it'll don't doesn't didn't couldn't wouldn't wasn't weren't isn't aren't between during against without onto upon the
      their am whether since until unless although though per`),
    seldomLast:
      wordsOf(`in on is are was were be been being this that not so do does did her about just only really quite even some
      any most more what how why where she you it can't won't through over under like other another many few because much
      such both first last one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty
      fifty sixty seventy eighty ninety hundred thousand million billion`),
    neverFirst: wordsOf("of than him them us me ago too been being be either themselves itself himself"),
    opening:
      wordsOf(`i we he she they you it it's that's there's there here this these those what how why well okay now then so
      but because i'm we're they're you're he's she's i've we've let's yes no if when while although they'll we'll
      you'll it'll don't`),
    objects: wordsOf("it you"),
    afterObject:
      wordsOf(`in on at of to by for with from into onto upon over under through between during against without about
      like since until and or but because if when while who which that than as the a an this these those my your our
      his her its their i we he she they somebody someone anybody anyone everybody everyone nobody there here`),
    determiners: wordsOf(
      "the a an my our your his her their its every some one people most all many each both another",
    ),
    joining: wordsOf("and or"),
    joiningLetter: null,
  },
  de: {
    hanging:
      wordsOf(`der die das den dem des ein eine einen einem einer eines und aber oder weil wenn dass von zum zur für bei im
      am sehr sein seine ihr ihre mein meine dein deine unser unsere dieser diese dieses diesen diesem jeder jede jedes
      jeden kein keine keinen als deshalb ich wir er man sind bis ins ans vom beim durch gegen ohne sobald damit ob denn
      obwohl während nachdem bevor seinen seinem seiner ihren ihrem ihrer welche pro zwischen seit wer was wo wie`),
    seldomLast:
      wordsOf(`zu mit nach aus in an auf über unter vor ist war waren hat haben wird werden kann muss nicht sie es können
      müssen sollen wollen dürfen hatte hatten da so ja auch nur noch schon etwa ungefähr viele mehr zwei drei vier
      fünf sechs sieben acht neun zehn zwölf zwanzig dreißig vierzig fünfzig hundert tausend millionen`),
    neverFirst: wordsOf("sich gibt"),
    opening:
      wordsOf(`ich wir er sie es man aber denn weil wenn dass dann da also das deshalb deswegen darum trotzdem ja nein
      jetzt heute hier dort dazu davon damit obwohl was warum woher wohin wozu wie wo wer ihr du sondern`),
    determiners:
      wordsOf(`der die den dem dieser diese dieses jeder jede jedes mein meine unser unsere sein seine ihre viele manche
      alle kein keine`),
    joining: wordsOf("und oder"),
    joiningLetter: null,
  },
  ar: {
    hanging:
      wordsOf(`في من إلى على عن مع أن إن هذا هذه ذلك تلك التي الذي كان كانت و أو لكن لأن ثم أي بين عند كل بعض غير لا لم
      لن قد ما هو هي هم الذين حتى منذ بعد قبل حين عندما إذا حيث بينما أما كما مثل يا أنا نحن كانوا يكون تكون ليس ليست
      هناك أكثر أول`),
    seldomLast: NONE,
    neverFirst: wordsOf("جدا التي الذي الذين أيضا فقط كذلك تقريبا"),
    opening:
      wordsOf(`لكن لأن ثم أما إذا هذا هذه هناك كان كانت يعني طيب لماذا هل ماذا كيف الآن أنا نحن لا إنه إنها لذلك هو هي
      حيث بينما عندما كما قال يقال`),
    determiners: NONE,
    joining: NONE,
    joiningLetter: /^[وف](?!ي$)\p{L}{3}/u,
  },
  es: {
    hanging:
      wordsOf(`a al con cuando de del desde donde el en entre es esta este ha han hasta la las lo los más me mi muy ni no
      nos para pero por porque que se si sin sobre son su sus un una unos unas y yo o como cada`),
    seldomLast: wordsOf("era fue está están hay le les te tiene todo"),
    neverFirst: NONE,
    opening: wordsOf(
      "pero porque entonces cuando si aunque esto eso hay yo nosotros ellos ella él bueno ahora así pues",
    ),
    determiners: wordsOf("el la los las un una este esta estos estas mi nuestro cada"),
    joining: wordsOf("y o"),
    joiningLetter: null,
  },
  fr: {
    hanging:
      wordsOf(`à au aux avec c'est ces cette ce comme dans de des du elle elles en entre et il ils j'ai je la le les leur
      leurs l'on ma mais mes mon ne nos notre nous on ou par pour qu'il que qui sa sans se ses si son sont sous sur un une
      vers votre vous très plus`),
    seldomLast: wordsOf("a ai est était ont sera peut tout tous"),
    neverFirst: NONE,
    opening: wordsOf(
      "mais donc alors parce quand si je il elle on nous vous ils elles c'est ça voilà maintenant",
    ),
    determiners: wordsOf("le la les un une des ce cette ces mon ma notre nos chaque"),
    joining: wordsOf("et ou"),
    joiningLetter: null,
  },
  it: {
    hanging:
      wordsOf(`a ad al alla con da dal dalla dei del della delle di e ed fra gli i il in la le lo ma mi nel nella non o per
      perché più quando questa questo se si sono su sul sulla tra un una uno che chi ogni come molto`),
    seldomLast: wordsOf("è era ha hanno ho ci vi"),
    neverFirst: NONE,
    opening: wordsOf("ma perché allora quindi quando se io noi lui lei loro questo però adesso ora c'è"),
    determiners: wordsOf("il lo la i gli le un una questo questa ogni"),
    joining: wordsOf("e o"),
    joiningLetter: null,
  },
  nl: {
    hanging:
      wordsOf(`aan als bij dan dat de deze die dit door een en geen haar hebben heeft het hij hun ik in is je maar met mijn
      naar niet of om onder ons op over te tot uit van veel voor waren was we wie ze zijn zo zich er`),
    seldomLast: wordsOf("had heb kan moet wil worden wordt zou"),
    neverFirst: wordsOf("zich"),
    opening: wordsOf("maar want omdat dus als ik we wij ze zij hij het dat dit er dan nu hier daar ja nee"),
    determiners: wordsOf("de een deze die elke mijn ons onze hun"),
    joining: wordsOf("en of"),
    joiningLetter: null,
  },
  pt: {
    hanging:
      wordsOf(`a ao aos as até com como da das de do dos e é em entre essa esse esta este eu foi mais mas me meu minha muito
      na não nas nem no nos o os ou para pela pelo por porque quando que se sem seu sua são também um uma`),
    seldomLast: wordsOf("era foi há está ser ter tem"),
    neverFirst: NONE,
    opening: wordsOf("mas porque então quando se eu nós ele ela eles isso isto agora aqui bom"),
    determiners: wordsOf("o a os as um uma este esta meu nosso cada"),
    joining: wordsOf("e ou"),
    joiningLetter: null,
  },
};

const UNKNOWN: ClauseWords = {
  hanging: NONE,
  seldomLast: NONE,
  neverFirst: NONE,
  opening: NONE,
  determiners: NONE,
  joining: NONE,
  joiningLetter: null,
};

export function clauseWords(lang: string): ClauseWords {
  return WORDS[languageOf(lang)] ?? UNKNOWN;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/u));
}
