/**
 * The other conversation of a haystack: everyday questions of people, and long answers of agents, which repeat the
 * words of the question.
 */

import type { Random } from "../sessions/random.ts";

export interface TopicWords {
  readonly nouns: readonly string[];
  readonly verbs: readonly string[];
  readonly adjectives: readonly string[];
}

const words = (text: string): readonly string[] => text.split(" ");

const TOPICS: Readonly<Record<string, TopicWords>> = {
  servers: {
    nouns: words("port timeout server request proxy gateway socket header firewall container host relay"),
    verbs: words("listen forward restart deploy scale route bind limit"),
    adjectives: words("slow idle public internal stateless busy"),
  },
  storage: {
    nouns: words("database backup row index disk snapshot query table replica migration record shard"),
    verbs: words("store keep migrate restore copy compress delete index"),
    adjectives: words("durable cold corrupt nightly incremental large"),
  },
  team: {
    nouns: words("reviewer budget meeting team hire sprint estimate roadmap contract euro invoice customer"),
    verbs: words("review approve estimate hire discuss plan pay assign"),
    adjectives: words("late monthly expensive remote senior open"),
  },
  release: {
    nouns: words("release licence build tool version changelog tag package artifact plan branch day"),
    verbs: words("release publish build tag plan sign ship bump"),
    adjectives: words("stable planned broken signed minor early"),
  },
  family: {
    nouns: words("sister brother dog city job name birthday visit flat cousin wedding neighbour"),
    verbs: words("live work visit call move adopt invite remember"),
    adjectives: words("tiny old funny loud kind new"),
  },
  hobby: {
    nouns: words("lesson tent bike price concert practice shop trip camera day euro garden"),
    verbs: words("practise buy ride play repair borrow sell learn"),
    adjectives: words("cheap used heavy quiet waterproof wooden"),
  },
  code: {
    nouns: words("function parser error test module type stack loop buffer cursor token schema"),
    verbs: words("parse read write fix rename split merge retry"),
    adjectives: words("failing unused recursive async typed empty"),
  },
  cooking: {
    nouns: words("soup oven dough pepper onion pan recipe basil lemon stock flour cheese"),
    verbs: words("boil bake chop taste stir serve marinate cool"),
    adjectives: words("spicy fresh sour thick crisp salty"),
  },
  travel: {
    nouns: words("train hotel ticket platform border luggage ferry museum map bridge station passport"),
    verbs: words("book board cancel cross arrive pack walk wait"),
    adjectives: words("crowded direct rainy northern narrow late"),
  },
  health: {
    nouns: words("sleep knee doctor vitamin run pulse allergy stretch appointment water back breakfast"),
    verbs: words("sleep stretch breathe rest measure train drink warm"),
    adjectives: words("stiff healthy tired regular sore short"),
  },
};

export const TOPIC_NAMES: readonly string[] = Object.keys(TOPICS);

/** A sentence of a person. */
export function smallTalk(random: Random, topic: string): string {
  const { nouns, verbs, adjectives } = TOPICS[topic] ?? TOPICS.code ?? never();
  const [noun, verb, adjective] = [random.pick(nouns), random.pick(verbs), random.pick(adjectives)];
  return random.pick([
    `Can you explain how to ${verb} a ${adjective} ${noun}?`,
    `What is the best way to ${verb} the ${noun} when the ${random.pick(nouns)} is ${adjective}?`,
    `I tried to ${verb} it, but the ${noun} is still ${adjective}.`,
    `Please ${verb} the ${noun} and tell me what changed.`,
    `Give me three ideas for a ${adjective} ${noun}.`,
    `Why would anyone ${verb} a ${noun} instead of a ${random.pick(nouns)}?`,
  ]);
}

/** An answer of an agent about a topic, with some words that were asked about. */
export function longAnswer(random: Random, topic: string, about: readonly string[]): string {
  const { nouns, verbs, adjectives } = TOPICS[topic] ?? TOPICS.code ?? never();
  const noun = (): string =>
    about.length > 0 && random.next() < 0.12 ? random.pick(about) : random.pick(nouns);
  const sentence = (): string =>
    random.pick([
      `The ${noun()} should ${random.pick(verbs)} before the ${noun()} does.`,
      `A ${random.pick(adjectives)} ${noun()} is usually the reason.`,
      `First ${random.pick(verbs)} the ${noun()}, then look at the ${noun()} again.`,
      `It depends on the ${noun()}: if it is ${random.pick(adjectives)}, ${random.pick(verbs)} it.`,
      `Here is what I would do with the ${noun()} and the ${noun()}.`,
      `Do not ${random.pick(verbs)} more than one ${noun()} at a time.`,
    ]);
  return Array.from({ length: random.int(3, 14) }, sentence).join(" ");
}

function never(): never {
  throw new Error("every topic has words");
}
