/** A search without an index: it reads every session and every turn. It shares no code with the index. */

import type { Places } from "@continuo/agents";
import type { Block, Message } from "@continuo/core/model";
import { findNativeSessions, openNativeSession } from "@continuo/native";

export interface NaiveTurn {
  readonly location: string;
  readonly number: number;
  /** The words of each text, in order. */
  readonly texts: readonly (readonly string[])[];
  /** Parts of names such as `readFile`. */
  readonly parts: ReadonlySet<string>;
  readonly raw: readonly string[];
  /** The words of each text that a program inserted; `texts` does not contain these texts. */
  readonly injected: readonly (readonly string[])[];
  /** The words of the results of tools. */
  readonly results: readonly (readonly string[])[];
  /** The branch of the session. */
  readonly gitBranch: string | null;
  /** The time of the last message that has one, or else of the session. */
  readonly at: string | null;
  readonly hasError: boolean;
}

export async function readNaively(places: Places): Promise<NaiveTurn[]> {
  const turns: NaiveTurn[] = [];
  for await (const found of findNativeSessions({ places, subagents: "include" })) {
    if (found.files.length === 0) continue;
    using session = await openNativeSession(found, { places });
    const messages: Message[] = [];
    for (const leaf of session.leaves) {
      for await (const message of session.history({ leaf: leaf.id })) {
        if (session.leaves.length === 1 || !messages.some(({ id }) => id === message.id))
          messages.push(message);
      }
    }
    const groups: Message[][] = [];
    for (const message of messages) {
      const isPerson = message.role === "user" && (message.origin ?? "person") === "person";
      // Text that was only injected is in the turn of the first question.
      const isLeadIn = groups.length === 1 && groups[0]?.every(isInjected) === true;
      if (groups.length === 0 || (isPerson && !isLeadIn)) groups.push([]);
      groups.at(-1)?.push(message);
    }
    for (const [at, group] of groups.entries()) {
      const texts = group
        .filter((one) => !isInjected(one))
        .flatMap(({ content }) => content.flatMap(textsIn));
      const injected = group.flatMap((one) =>
        one.content.flatMap((block) => (isInjected(one) ? textsIn(block) : injectedIn(block))),
      );
      turns.push({
        location: found.location,
        number: at + 1,
        texts: texts.map(naiveWords),
        parts: new Set(texts.flatMap(naiveParts)),
        raw: texts,
        injected: injected.map(naiveWords),
        results: group.flatMap(({ content }) => content.flatMap(resultTexts)).map(naiveWords),
        gitBranch: session.details.gitBranch,
        at:
          group.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp ?? session.details.updatedAt,
        hasError: group.some(isFailure),
      });
    }
  }
  return turns;
}

function isInjected({ origin, role }: Message): boolean {
  if (origin === undefined) return role === "system";
  return origin === "injected" || origin === "notification";
}

function resultTexts(block: Block): string[] {
  return block.type === "tool_result" ? block.content.flatMap(textsIn) : [];
}

function isFailure({ content, origin }: Message): boolean {
  if (content.some((block) => block.type === "tool_result" && block.isError)) return true;
  return origin === "error";
}

function textsIn(block: Block): string[] {
  switch (block.type) {
    case "text":
      return [block.typed ?? block.text.slice(block.injectedChars)];
    case "thinking":
      return [block.text];
    case "file":
      return [block.name ?? "", block.text ?? ""];
    case "tool_call":
      return [block.name, ...leavesOf(block.rawArgs ?? block.args)];
    case "tool_result":
      return block.content.flatMap(textsIn);
    default:
      return [];
  }
}

/** Returns the text of a skill instead of its name. */
function injectedIn(block: Block): string[] {
  if (block.type !== "text" || block.injectedChars === undefined) return [];
  return [block.text.slice(0, block.injectedChars)];
}

function leavesOf(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

const SPACELESS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]/u;

/** Splits a text by the segmentation of characters, step by step. */
function naiveWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  const end = (): void => {
    if (word !== "" && word.length <= 64) words.push(word);
    word = "";
  };
  for (const char of text.normalize("NFKC").toLowerCase()) {
    const plain = char
      .normalize("NFD")
      .replace(/[\u0300-\u036f]/gu, "")
      .normalize("NFC");
    if (plain === "") continue;
    if (SPACELESS.test(plain)) {
      end();
      words.push(plain);
    } else if (/^[\p{L}\p{N}\p{M}]/u.test(plain)) word += plain;
    else end();
  }
  end();
  return words;
}

function naiveParts(text: string): string[] {
  return text.split(/[^A-Za-z0-9]+/u).flatMap((name) => {
    const parts = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/u);
    const isName = parts.length > 1 && parts.length <= 12 && name.length <= 64;
    return isName && name.length >= 2 * parts.length ? parts.map((part) => part.toLowerCase()) : [];
  });
}

/** Returns true if the words stand next to each other in one of the texts. */
export function hasPhrase(turn: NaiveTurn, phrase: readonly string[]): boolean {
  return turn.texts.some((words) =>
    words.some((_, at) => phrase.every((word, offset) => words[at + offset] === word)),
  );
}
