/** Chooses the units of a context: one unit that always stays, then the others in the order of a strategy. */

import { ContinuoError, type Message } from "../../model/index.ts";
import { type Budget, fits, plus, shareOf } from "./budget.ts";
import { type Cost, costOf, mediaTokensOf, NO_COST } from "./cost.ts";
import { cutMessages, withoutMedia } from "./cut.ts";
import type { ContextUnit, UnitMessage } from "./units.ts";

/**
 * - `newest`: the newest units
 * - `oldest-page`: a page that begins with the oldest; `pageAfter` is the last message of the page before
 * - `window`: the units nearest to the one that `around` names, on both sides
 * - `pinned+newest`: the pinned units, then the newest
 */
export type Strategy = "newest" | "oldest-page" | "window" | "pinned+newest";

export interface StrategyOptions {
  /** `newest` if none is given. */
  readonly strategy?: Strategy;
  /** `oldest-page`: the id of the last message of the page before. */
  readonly pageAfter?: string;
  /** `window`: the message with this id, or the last message up to this sequence or up to this time. */
  readonly around?: { readonly id?: string; readonly sequence?: number; readonly timestamp?: string };
  /** `pinned+newest`: true for a pinned message; by default the first message of a person or program is pinned. */
  readonly pinned?: (message: Message) => boolean;
}

/** The chosen messages, with their places. */
export function chooseUnits(
  units: readonly ContextUnit[],
  budget: Budget,
  options: StrategyOptions,
): readonly UnitMessage[] {
  const { strategy = "newest" } = options;
  const candidates = strategy === "oldest-page" ? pageUnits(units, options.pageAfter) : units;
  const anchor = anchorOf(candidates, strategy, options);
  const stays = candidates[anchor];
  // A message from which everything was cut says nothing.
  if (stays === undefined || budget.chars < 1) return [];
  const choice = createChoice(stays, budget);
  if (strategy === "pinned+newest") {
    for (const unit of pinnedUnits(candidates, options)) choice.take(unit);
  }
  if (strategy === "oldest-page") {
    // A page has no holes: the next page begins where this one ends.
    candidates.slice(anchor + 1).every((unit) => choice.take(unit));
    return choice.members();
  }
  // System messages are taken before the others, but may use at most half of the budget.
  const systems = shareOf(budget, 1 / 2);
  let spent: Cost = NO_COST;
  for (const unit of candidates.filter(({ isSystem }) => isSystem).reverse()) {
    const cost = costOf(messagesOf(unit), budget.tokenizer);
    if (choice.has(unit) || !fits(spent, cost, systems) || !choice.take(unit)) continue;
    spent = plus(spent, cost);
  }
  const older = candidates.slice(0, anchor).reverse();
  if (strategy === "window") takeBothSides(choice, older, candidates.slice(anchor + 1));
  else choice.takeRun(older);
  return choice.members();
}

interface Choice {
  has(unit: ContextUnit): boolean;
  /** Returns true if the unit is in the context now. */
  take(unit: ContextUnit): boolean;
  /** Takes units until one that is not a system message does not fit: a conversation with holes misleads. */
  takeRun(units: readonly ContextUnit[]): void;
  members(): readonly UnitMessage[];
}

function createChoice(stays: ContextUnit, budget: Budget): Choice {
  const first = cutUnit(stays, budget);
  const chosen = new Map<ContextUnit, readonly UnitMessage[]>([[stays, first]]);
  let spent = costOf(
    first.map(({ message }) => message),
    budget.tokenizer,
  );
  const choice: Choice = {
    has: (unit) => chosen.has(unit),
    take(unit) {
      if (chosen.has(unit)) return true;
      const cost = costOf(messagesOf(unit), budget.tokenizer);
      if (!fits(spent, cost, budget)) return false;
      spent = plus(spent, cost);
      chosen.set(unit, unit.members);
      return true;
    },
    takeRun(units) {
      for (const unit of units) if (!choice.take(unit) && !unit.isSystem) return;
    },
    members: () => [...chosen.values()].flat().sort((a, b) => a.position - b.position),
  };
  return choice;
}

/**
 * Takes units from both sides in turn, the nearest units first. A side ends at its first unit that does not fit, unless
 * that is a system message.
 */
function takeBothSides(choice: Choice, older: readonly ContextUnit[], newer: readonly ContextUnit[]): void {
  const sides = [older.values(), newer.values()];
  while (sides.length > 0) {
    for (const side of [...sides]) {
      const { done, value } = side.next();
      if (!done && (choice.take(value) || value.isSystem)) continue;
      sides.splice(sides.indexOf(side), 1);
    }
  }
}

function messagesOf(unit: ContextUnit): readonly Message[] {
  return unit.members.map(({ message }) => message);
}

/** Shortens a unit that exceeds the budget even without other units. */
function cutUnit(unit: ContextUnit, budget: Budget): readonly UnitMessage[] {
  const all = messagesOf(unit);
  // Pictures are kept if they leave at least as much room for texts.
  const whole = mediaTokensOf(all) * 2 > budget.tokens ? all.map(withoutMedia) : all;
  let messages = cutMessages(whole, budget.chars);
  const tokens = (): number => costOf(messages, budget.tokenizer).tokens;
  // The length of a token differs from text to text: shorter texts are tried until one fits.
  let chars = costOf(messages, undefined).chars;
  while (tokens() > budget.tokens && chars > 0) {
    chars = Math.min(chars - 1, Math.floor((chars * budget.tokens) / tokens()));
    messages = cutMessages(whole, chars);
  }
  return unit.members.map((member, at) => ({ ...member, message: messages[at] ?? member.message }));
}

function pageUnits(units: readonly ContextUnit[], after: string | undefined): readonly ContextUnit[] {
  if (after === undefined) return units;
  const at = units.findIndex((unit) => unit.members.some(({ message }) => message.id === after));
  if (at === -1) {
    throw new ContinuoError(
      "not_found",
      "cannot read the next page: no message has the id after which it begins",
      {
        details: { pageAfter: after },
      },
    );
  }
  return units.slice(at + 1);
}

/** The index of the unit that always stays. */
function anchorOf(units: readonly ContextUnit[], strategy: Strategy, { around }: StrategyOptions): number {
  if (strategy === "oldest-page") return 0;
  if (strategy !== "window" || around === undefined) return units.length - 1;
  const { id, sequence, timestamp } = around;
  if (id !== undefined) {
    const at = units.findIndex((unit) => unit.members.some(({ message }) => message.id === id));
    if (at !== -1) return at;
    throw new ContinuoError("not_found", "cannot show a message and its neighbours: no message has this id", {
      details: { id },
    });
  }
  const isBefore = (message: Message): boolean =>
    sequence !== undefined
      ? (sequenceOf(message) ?? Number.POSITIVE_INFINITY) <= sequence
      : Date.parse(message.timestamp ?? "") <= Date.parse(timestamp ?? "");
  return Math.max(
    0,
    units.findLastIndex((unit) => unit.members.some(({ message }) => isBefore(message))),
  );
}

function sequenceOf(message: Message): number | undefined {
  const { sequence } = message.metadata;
  return typeof sequence === "number" ? sequence : undefined;
}

/** Newest first. */
function pinnedUnits(units: readonly ContextUnit[], { pinned }: StrategyOptions): readonly ContextUnit[] {
  if (pinned === undefined) {
    const first = units.find((unit) => unit.members[0]?.message.role === "user");
    return first === undefined ? [] : [first];
  }
  return units.filter((unit) => unit.members.some(({ message }) => pinned(message))).reverse();
}
