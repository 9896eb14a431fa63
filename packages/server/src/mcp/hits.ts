/** The hits of a search, as lines for a model and as data. Pure. */

import type { Excerpt, SearchResult, TurnHit } from "@continuo/agents/search";
import { shorten } from "@continuo/core/model";
import { z } from "zod";
import { quote } from "./answer.ts";
import { isPlainName, nameFor } from "./sessions.ts";

export const foundOutput: z.ZodObject = z.object({
  session: z.string(),
  turn: z.number(),
  at: z.string().nullable(),
  title: z.string().nullable(),
  folder: z.string().nullable(),
  role: z.string().nullable(),
  excerpt: z.string(),
  otherTurns: z.array(z.number()).optional(),
});

/** The author of the excerpt. */
const VOICE_NAMES: Readonly<Record<Excerpt["voice"], string>> = {
  person: "person",
  agent: "agent",
  call: "call",
  result: "result",
  other: "injected",
};

const OTHER_TURNS = 10;
const TITLE_CHARS = 100;

export interface Hit {
  readonly result: SearchResult;
  readonly turn: TurnHit;
  readonly excerpt: Excerpt | null;
  /** Further turns of the same session that match and are not shown separately. */
  readonly others: readonly number[];
}

/** The best turn of a session, with the numbers of the others. */
export function bestOf(result: SearchResult): Hit {
  const { turn, excerpt, turns } = result;
  const others = turns.map(({ number }) => number).filter((number) => number !== turn.number);
  return { result, turn, excerpt, others };
}

export interface HitData {
  readonly session: string;
  readonly turn: number;
  readonly at: string | null;
  readonly title: string | null;
  readonly folder: string | null;
  readonly role: string | null;
  readonly excerpt: string;
  readonly otherTurns?: readonly number[];
}

export function hitToData({ result, turn, excerpt, others }: Hit, mask: (text: string) => string): HitData {
  const { session } = result;
  return {
    session: nameFor(session),
    turn: turn.number,
    at: turn.at,
    title: session.title === null ? null : shorten(mask(session.title), TITLE_CHARS),
    folder: session.cwd,
    role: excerpt === null ? null : VOICE_NAMES[excerpt.voice],
    excerpt: excerpt === null ? "" : excerpt.pieces.map(({ text }) => text).join(""),
    ...(others.length === 0 ? {} : { otherTurns: others.slice(0, OTHER_TURNS) }),
  };
}

/** Words of Continuo come before the fence, everything from the session within it. */
export function hitToText(data: HitData, number: number): string {
  const { session, turn, at, title, folder, role, excerpt, otherTurns } = data;
  const isPlain = isPlainName(session);
  const lines = [
    isPlain ? "" : `session: ${session}`,
    [title ?? "untitled", folder, at].filter((fact) => fact !== null).join(" · "),
    role === null ? "" : `${role}: ${excerpt}`,
  ];
  const others = otherTurns === undefined ? "" : `, also ${otherTurns.join(", ")}`;
  const heading = `${number}. ${isPlain ? session : "session as quoted"}, turn ${turn}${others}`;
  return `${heading}\n${quote(lines.filter((line) => line !== "").join("\n"))}`;
}
