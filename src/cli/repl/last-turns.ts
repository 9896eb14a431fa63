/** The last turns of a session that continues, so that the person sees where it ended. */

import { lookUp, openCatalogSession, readOwn } from "@continuo/agents/catalog";
import type { Talk } from "@continuo/agents/conversations";
import { isContinuoError, type Message, textOf, typedTextOf } from "@continuo/core/model";
import { messageKind, visibleLine } from "@continuo/core/transcript";
import { type Paint, type Shell, wrap } from "../terminal/index.ts";

const TURNS = 2;
const PROMPT_LINES = 3;
const ANSWER_LINES = 8;

interface DrawOptions {
  readonly shell: Shell;
  readonly paint: Paint;
  readonly columns: number;
}

export type SpokenMessage = Pick<Message, "role" | "content">;

/** Returns no lines for a session without messages, or for one that cannot be read now: its next turn reports that. */
export async function lastTurns(
  talk: Talk,
  { shell, paint, columns }: DrawOptions,
): Promise<readonly string[]> {
  const messages = await spokenMessages(talk, shell);
  const begins = messages.flatMap((message, at) => (messageKind(message) === "person" ? [at] : []));
  const from = begins.at(-TURNS) ?? begins[0];
  if (from === undefined) return [];
  return drawTurns(messages.slice(from), { paint, columns }).slice(1).concat("");
}

/** The beginnings of prompts and answers, with an empty line before each prompt. */
export function drawTurns(
  messages: readonly SpokenMessage[],
  { paint, columns }: Pick<DrawOptions, "paint" | "columns">,
): readonly string[] {
  const draw = (text: string, most: number, mark: string): readonly string[] => {
    const lines = wrap(
      [{ text: text.split("\n").map(visibleLine).join("\n") }],
      Math.max(8, columns - 3),
      paint,
    );
    const shown = lines.slice(0, most);
    const more = lines.length - shown.length;
    return [
      ...shown.map((line, at) => paint(`${at === 0 ? mark : " "} ${line}`, "dim")),
      ...(more > 0 ? [paint(`  … ${more} more ${more === 1 ? "line" : "lines"}`, "dim")] : []),
    ];
  };
  return messages.flatMap(({ role, content }) =>
    role === "user"
      ? ["", ...draw(typedTextOf(content), PROMPT_LINES, "❯")]
      : draw(textOf(content), ANSWER_LINES, "●"),
  );
}

async function spokenMessages(talk: Talk, shell: Shell): Promise<readonly Message[]> {
  if (talk.session === null) return [];
  try {
    const name = `continuo:${talk.session.sessionId}`;
    const located = await lookUp(name, { places: shell, store: readOwn(await talk.store()) });
    using session = await openCatalogSession(located, shell);
    const all = await Array.fromAsync(session.history());
    return all.filter(
      (message) =>
        textOf(message.content).trim() !== "" &&
        (messageKind(message) === "person" || message.role === "assistant"),
    );
  } catch (error) {
    if (isContinuoError(error)) return [];
    throw error;
  }
}
