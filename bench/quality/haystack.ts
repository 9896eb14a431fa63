/**
 * Haystacks with questions whose answer is one session, in the shapes of LongMemEval-S (a question for 40 to 60 sessions)
 * and LoCoMo (long conversations of 19 to 32 sessions with many questions), made from a seed and without a model.
 *
 * Each answer has competitors: the same kind of fact about another object, other facts about the same object, and long
 * answers of an agent with many words of the question.
 */

import { createRandom, type Random } from "../sessions/random.ts";
import { DECISIONS, ENDINGS, FACT_KINDS, type FactKind, NOUNS, OUTCOMES, VERBS } from "./facts.ts";
import { SYNONYMS } from "./synonyms.ts";
import { longAnswer, smallTalk, TOPIC_NAMES } from "./talk.ts";

export const CLASSES = ["fact", "update", "time", "paraphrase", "code"] as const;

export type QuestionClass = (typeof CLASSES)[number];

export interface Talk {
  readonly person: string;
  readonly agent: string;
  /** A call of a tool with its result. */
  readonly call?: { readonly tool: string; readonly input: string; readonly output: string };
}

export interface HaystackSession {
  readonly id: string;
  /** The time at which it began, in milliseconds since 1970. */
  readonly at: number;
  readonly topic: string;
  readonly talks: Talk[];
}

export interface Question {
  readonly class: QuestionClass;
  readonly text: string;
  readonly sessionId: string;
}

export interface Haystack {
  readonly nowMs: number;
  readonly sessions: readonly HaystackSession[];
  readonly questions: readonly Question[];
}

const DAY_MS = 86_400_000;
const LONG_MEM_EVAL_QUESTIONS = 470;
const [CONVERSATIONS, QUESTIONS_OF_CLASS] = [10, 8];

const EACH_CLASS_IN_ROUNDS = Array.from({ length: QUESTIONS_OF_CLASS }, () => CLASSES).flat();

/** @param count 470 questions as in the original by default */
export function* longMemEval(seed: number, count: number = LONG_MEM_EVAL_QUESTIONS): Generator<Haystack> {
  for (let number = 0; number < count; number++) {
    const one = CLASSES[number % CLASSES.length] ?? "fact";
    yield createHaystack(seed * 1_000_003 + number, { least: 40, most: 60, talks: [2, 6] }, [one]);
  }
}

/** @param conversations 10 as in the original by default */
export function* loCoMo(seed: number, conversations: number = CONVERSATIONS): Generator<Haystack> {
  const size: Size = { least: 19, most: 32, talks: [10, 18] };
  for (let number = 0; number < conversations; number++) {
    yield createHaystack(seed * 2_000_003 + number, size, EACH_CLASS_IN_ROUNDS);
  }
}

interface GrowingHaystack extends Haystack {
  readonly random: Random;
  readonly questions: Question[];
  /** The keys of all facts so far, so that none is repeated. */
  readonly used: Set<string>;
}

interface Size {
  readonly least: number;
  readonly most: number;
  readonly talks: readonly [least: number, most: number];
}

function createHaystack(seed: number, size: Size, classes: readonly QuestionClass[]): Haystack {
  const draft = createDraft(createRandom(seed), size);
  for (const one of classes) plant(draft, one);
  return draft;
}

function createDraft(random: Random, { least, most, talks }: Size): GrowingHaystack {
  const nowMs = Date.UTC(2026, random.int(3, 10), random.int(1, 28), 18);
  const ages = Array.from({ length: random.int(least, most) }, () => 0.1 + random.next() * 120);
  const sessions = ages
    .sort((a, b) => b - a)
    .map((days): HaystackSession => {
      const topic = random.pick(TOPIC_NAMES);
      const at = Math.round(nowMs - days * DAY_MS);
      const length = random.int(...talks);
      return {
        id: random.uuid(),
        at,
        topic,
        talks: Array.from({ length }, () => smallTurn(random, topic, [])),
      };
    });
  return { random, nowMs, sessions, questions: [], used: new Set() };
}

function smallTurn(random: Random, topic: string, about: readonly string[]): Talk {
  return { person: smallTalk(random, topic), agent: longAnswer(random, topic, about) };
}

function plant(draft: GrowingHaystack, one: QuestionClass): void {
  if (one === "time") plantTime(draft);
  else if (one === "code") plantCode(draft);
  else plantFact(draft, one);
}

function plantFact(draft: GrowingHaystack, one: "fact" | "update" | "paraphrase"): void {
  const { random, sessions, questions } = draft;
  const [kind, object] = pickFact(draft);
  const [value, newer] = twoOf(random, kind.values);
  const fill = (text: string, v: string): string => text.replace("{o}", object).replace("{v}", v);
  let answer = pickSession(draft);
  if (one === "update") {
    const at = sessions.indexOf(answer);
    const later = sessions.slice(at + 1);
    if (later.length === 0) {
      plantFact(draft, one);
      return;
    }
    say(draft, answer, fill(random.pick(kind.say), value));
    answer = random.pick(later);
    say(draft, answer, fill(random.pick(kind.change), newer));
  } else say(draft, answer, fill(random.pick(kind.say), value));
  plantRivals(draft, kind, { object, answer });
  const asked = fill(
    one === "paraphrase" || random.next() < 0.6 ? random.pick(kind.ask) : random.pick(kind.words),
    "",
  );
  const text = one === "paraphrase" ? paraphrase(random, asked) : asked;
  questions.push({ class: one, text, sessionId: answer.id });
}

function pickFact({ random, used }: GrowingHaystack): [FactKind, string] {
  for (;;) {
    const kind = random.pick(FACT_KINDS);
    const object = random.pick(kind.objects);
    const key = `${FACT_KINDS.indexOf(kind)} ${object}`;
    if (used.has(key)) continue;
    used.add(key);
    return [kind, object];
  }
}

interface PlantedFact {
  readonly object: string;
  readonly answer: HaystackSession;
}

function plantRivals(draft: GrowingHaystack, kind: FactKind, { object, answer }: PlantedFact): void {
  const { random, used } = draft;
  for (let number = random.int(1, 3); number > 0; number--) {
    const other = random.pick(kind.objects.filter((name) => name !== object));
    const key = `${FACT_KINDS.indexOf(kind)} ${other}`;
    if (used.has(key)) continue;
    used.add(key);
    say(draft, pickSession(draft, answer), fillBoth(random, kind, other));
  }
  for (let number = random.int(1, 2); number > 0; number--) {
    const other = random.pick(FACT_KINDS);
    const key = `${FACT_KINDS.indexOf(other)} ${object}`;
    if (other === kind || !other.objects.includes(object) || used.has(key)) continue;
    used.add(key);
    say(draft, pickSession(draft, answer), fillBoth(random, other, object));
  }
  for (let number = random.int(0, 2); number > 0; number--) {
    const session = pickSession(draft, answer);
    const talk: Talk = {
      person: `How do other people handle the ${object}?`,
      agent: longAnswer(random, kind.topic, object.split(" ")),
    };
    session.talks.splice(random.int(0, session.talks.length), 0, talk);
  }
}

function fillBoth(random: Random, kind: FactKind, object: string): string {
  return random.pick(kind.say).replace("{o}", object).replace("{v}", random.pick(kind.values));
}

/** Puts it at a random place in a session, between other conversation. */
function say({ random }: GrowingHaystack, session: HaystackSession, sentence: string): void {
  const other = smallTalk(random, session.topic);
  const person = random.next() < 0.5 ? `${sentence} ${other}` : `${other} ${sentence}`;
  session.talks.splice(random.int(0, session.talks.length), 0, {
    person,
    agent: longAnswer(random, session.topic, []),
  });
}

function pickSession({ random, sessions }: GrowingHaystack, not?: HaystackSession): HaystackSession {
  for (;;) {
    const one = random.pick(sessions);
    if (one !== not) return one;
  }
}

function twoOf<T>(random: Random, values: readonly T[]): [T, T] {
  const first = random.pick(values);
  return [first, random.pick(values.filter((value) => value !== first))];
}

function paraphrase(random: Random, text: string): string {
  return SYNONYMS.reduce((all, [phrase, others]) => all.replace(phrase, random.pick(others)), text);
}

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

interface TimeWords {
  readonly text: string;
  /** The period in milliseconds since 1970 in which only one session may mention it. */
  readonly from: number;
  readonly to: number;
}

/** The words with which a person names the time of a session. */
function timeOf(random: Random, at: number, nowMs: number): TimeWords {
  const day = startOfDay(at);
  const days = Math.round((startOfDay(nowMs) - day) / DAY_MS);
  const date = new Date(at);
  const month = MONTHS[date.getUTCMonth()] ?? "";
  const around = (text: string, before: number, after: number): TimeWords => {
    return { text, from: day - before * DAY_MS, to: day + (after + 1) * DAY_MS };
  };
  const byDate = [
    around(`on ${date.getUTCDate()} ${month}`, 0, 0),
    around(`on ${month} ${date.getUTCDate()}`, 0, 0),
    {
      text: `in ${month}`,
      from: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
      to: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1),
    },
  ];
  if (days === 0) return around("today", 0, 0);
  if (days === 1) return around("yesterday", 0, 0);
  if (days < 7) {
    const ago = around(`${days} days ago`, 0, 0);
    return random.pick([ago, around(`last ${DAYS[date.getUTCDay()]}`, 0, 0), ...byDate]);
  }
  const weeks = Math.round(days / 7);
  return random.pick([around(`${weeks === 1 ? "a week" : `${weeks} weeks`} ago`, 5, 5), ...byDate]);
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

function plantTime(draft: GrowingHaystack): void {
  const { random, nowMs, used, questions, sessions } = draft;
  const left = DECISIONS.filter((name) => !used.has(name));
  if (left.length === 0) return;
  const about = random.pick(left);
  used.add(about);
  const answer = pickSession(draft);
  const when = timeOf(random, answer.at, nowMs);
  const outside = sessions.filter(({ at }) => at < when.from || at >= when.to);
  say(draft, answer, `We talked about ${about} and decided to ${random.pick(OUTCOMES)}.`);
  for (let number = random.int(3, 5); number > 0 && outside.length > 0; number--) {
    const sentence = `We talked about ${about} and decided to ${random.pick(OUTCOMES)}.`;
    say(draft, random.pick(outside), sentence);
  }
  const text = random.pick([
    `What did we decide about ${about} ${when.text}?`,
    `${about} decided ${when.text}`,
    `Which decision about ${about} did we make ${when.text}?`,
  ]);
  questions.push({ class: "time", text, sessionId: answer.id });
}

function plantCode(draft: GrowingHaystack): void {
  const { random, used, questions } = draft;
  const [verb, noun, ending] = [random.pick(VERBS), random.pick(NOUNS), random.pick(ENDINGS)];
  const name = nameOf([verb, noun, ending]);
  if (used.has(name)) {
    plantCode(draft);
    return;
  }
  used.add(name);
  const answer = pickSession(draft);
  edit(draft, answer, name);
  for (let number = random.int(2, 4); number > 0; number--) {
    const other = random.pick([
      [verb, random.pick(NOUNS), ending],
      [random.pick(VERBS), noun, ending],
      [verb, noun, random.pick(ENDINGS)],
    ]);
    if (used.has(nameOf(other))) continue;
    used.add(nameOf(other));
    edit(draft, pickSession(draft, answer), nameOf(other));
  }
  for (let number = random.int(1, 3); number > 0; number--) {
    const session = pickSession(draft, answer);
    const agent = longAnswer(random, "code", [verb, noun, ending]);
    session.talks.push({ person: smallTalk(random, "code"), agent });
  }
  const text = random.pick([
    `Where did we change the function that does ${verb} ${noun} ${ending}?`,
    `${verb} ${noun} ${ending} function`,
    [verb, noun, ending].join("_"),
    `In which session did we mend the ${noun} ${ending} of ${verb}?`,
    `bug in ${name}`,
  ]);
  questions.push({ class: "code", text, sessionId: answer.id });
}

function nameOf(parts: readonly string[]): string {
  return parts.map((part, at) => (at === 0 ? part : part.replace(/^./u, (c) => c.toUpperCase()))).join("");
}

function edit({ random }: GrowingHaystack, session: HaystackSession, name: string): void {
  const file = `src/${random.pick(NOUNS)}/${random.pick(VERBS)}.ts`;
  session.talks.splice(random.int(0, session.talks.length), 0, {
    person: random.pick([
      "It fails again, please look at it.",
      "Mend what we saw in the log.",
      `The tests of ${file} fail.`,
    ]),
    agent: longAnswer(random, "code", []),
    call: {
      tool: "Edit",
      input: `${file}\n${random.code(120)}\nexport function ${name}(${random.pick(NOUNS)}) {\n${random.code(200)}`,
      output: `The file ${file} has been updated. ${random.code(80)}`,
    },
  });
}
