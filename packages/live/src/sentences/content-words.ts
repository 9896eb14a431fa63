/**
 * Finds the words of a text by the rules of Unicode, without the function words of its language, if that is known.
 * Pure.
 */

export const STOP_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  de: wordsOf(`aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dem den der des die dies
    diese dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch für ganz gar hab habe haben
    hat hatte hier hin ich ihm ihn ihr im in ist ja jede jetzt kann kein keine können man mehr mein mich mir mit muss
    nach nein nicht noch nun nur ob oder ohne schon sehr sein sich sie sind so soll über um und uns unter vom von vor
    war waren was weil wenn wer werden wie wieder will wir wird wo zu zum zur`),
  en: wordsOf(`a about after again all also am an and any are as at be because been before being but by can could did do
    does doing don for from get go going got had has have having he her here him his how i if in into is it its just
    know let like ll me more most my no not now of off oh ok okay on one only or other our out over own re really right
    s same see she should so some such t than that the their them then there these they this those through to too
    under up us ve very was we well were what when where which while who why will with would yes you your`),
  es: wordsOf(`a al algo así aunque bien cada como con cual cuando de del desde donde dos el ella ellas ellos en entre
    era es esa ese eso esta está estaba están este esto fue ha han hasta hay la las le les lo los más me mi muy nada ni
    no nos o otra otro para pero poco por porque pues que qué quien se ser si sí sin sobre son su sus también tan te
    tiene todo tu tus un una uno unos y ya yo`),
  fr: wordsOf(`a ai alors au aux avec bien c ça car ce ces cette comme d dans de des donc du elle elles en encore est et
    était eu fait il ils j je l la le les leur lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où par pas
    peu peut plus pour qu quand que qui quoi s sa sans se ses si son sont sur t ta te tes toi ton tous tout tu un une va
    vos votre vous y`),
  it: wordsOf(`a ad ai al alla anche che chi ci come con cui da dal dalla dei del della delle di dove e è ed era fa fra
    gli ha hanno ho i il in io la le lei li lo loro lui ma mi mio molto ne nel nella no noi non o ogni per perché più
    poi quando quello questa questo qui se sei sì si sia sono su sua sul suo te ti tra tu tutto un una uno va vi voi`),
  nl: wordsOf(`aan al alles als altijd bij dan dat de der deze die dit doen door dus een en er ge geen haar had heb hebben
    heeft hem het hier hij hoe hun iets ik in is ja je kan kunnen maar me meer men met mij mijn moet na naar niet nog nu
    of om onder ons ook op over te tot u uit van veel voor want waren was wat we wel wie wij wil worden wordt ze zich
    zij zijn zo zou`),
  pt: wordsOf(`a ao aos as até com como da das de dela dele do dos e é ela elas ele eles em entre era essa esse esta está
    este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos nós o os ou para pela pelo
    por porque quando que quem se sem ser seu sua só também te tem ter tu tudo um uma você`),
};

/** The function words of all known languages, for texts without a language. */
export const functionWords: ReadonlySet<string> = new Set(
  Object.values(STOP_WORDS).flatMap((words) => [...words]),
);

const segmenters = new Map<string, Intl.Segmenter>();

/** Returns the words in lower case, in order. `lang` is BCP 47; if the language is not known, no word is left out. */
export function contentWords(text: string, lang?: string): readonly string[] {
  const stops = STOP_WORDS[languageOf(lang)];
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenterOf(lang).segment(text.normalize("NFKC"))) {
    if (isWordLike !== true) continue;
    const word = segment.toLowerCase();
    if (stops?.has(word) !== true) words.push(word);
  }
  return words;
}

/** Returns the language of a BCP 47 tag: `de` for `de-AT`. */
export function languageOf(lang: string | undefined): string {
  return (lang ?? "").toLowerCase().split(/[-_]/u)[0] ?? "";
}

/** An unknown language is segmented by the general rules. */
export function segmenterOf(lang: string | undefined): Intl.Segmenter {
  const name = /^[a-z]{2,3}$/u.test(languageOf(lang)) ? languageOf(lang) : "und";
  let segmenter = segmenters.get(name);
  if (segmenter === undefined) {
    // The language comes from outside. Only supported languages are remembered, so that memory stays bounded.
    const known = Intl.Segmenter.supportedLocalesOf([name]).length > 0 ? name : "und";
    segmenter = segmenters.get(known) ?? new Intl.Segmenter(known, { granularity: "word" });
    segmenters.set(known, segmenter);
  }
  return segmenter;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/u));
}

const sentenceSegmenters = new Map<string, Intl.Segmenter>();

export function segmenterOfSentences(lang: string): Intl.Segmenter {
  const language = languageOf(lang);
  const known = /^[a-z]{2,3}$/u.test(language) && Intl.Segmenter.supportedLocalesOf([language]).length > 0;
  const name = known ? language : "und";
  const segmenter = sentenceSegmenters.get(name) ?? new Intl.Segmenter(name, { granularity: "sentence" });
  sentenceSegmenters.set(name, segmenter);
  return segmenter;
}
