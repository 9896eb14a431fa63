/**
 * The state of a comparison as its address:
 * `#/compare/LEFT/RIGHT/at/7?view=model&branch2=ID&same=3&open=ROW&side=right`. Pure.
 */

import type { HistoryView } from "@continuo/core/wire/machine";
import { type Choices, choicesIn, withChoices } from "../session/choices.ts";
import { parseRoute } from "../shell/route.ts";

export type SideName = "left" | "right";

/** One of the two histories. */
export interface ComparedHistory {
  readonly key: string;
  readonly view: HistoryView;
  /** The id of a branch's end; `null` for the active one. */
  readonly branch: string | null;
}

export interface CompareAddress {
  readonly left: ComparedHistory;
  readonly right: ComparedHistory;
  /** The number of the row to which the reader went, counted from 1. */
  readonly at: number | null;
  /** Runs of equal turns that are unfolded, by the number of their first turn on the left. */
  readonly same: ReadonlySet<number>;
  /** Folds inside of turns that were opened or closed, by the key of their row. */
  readonly folds: Choices["folds"];
  /** The side that a narrow screen shows. */
  readonly side: SideName;
}

/** The greatest number of runs in an address: with more, the address would be too long to share. */
const MAX_RUNS = 20;

export function comparison(left: ComparedHistory, right: ComparedHistory): CompareAddress {
  return { left, right, at: null, same: new Set(), folds: new Map(), side: "left" };
}

export function historyOf(key: string, { view = "history", branch = null }: Partial<ComparedHistory> = {}) {
  return { key, view, branch } satisfies ComparedHistory;
}

/** Anybody can have written the address; `null` if it names no comparison. */
export function parseCompare(hash: string): CompareAddress | null {
  const route = parseRoute(hash);
  if (route.page !== "compare") return null;
  const query = new URLSearchParams(hash.split("?").slice(1).join("?"));
  const { view, branch, folds } = choicesIn(hash);
  const [, place] = /\/at\/(\d{1,9})$/u.exec(hash.split("?")[0] ?? "") ?? [];
  const runs = query.getAll("same").filter((number) => /^\d{1,9}$/u.test(number));
  return {
    left: { key: route.left, view, branch },
    right: {
      key: route.right,
      view: query.get("view2") === "model" ? "model" : "history",
      branch: query.get("branch2"),
    },
    at: place === undefined ? null : Number(place),
    same: new Set(runs.slice(-MAX_RUNS).map(Number)),
    folds,
    side: query.get("side") === "right" ? "right" : "left",
  };
}

export function compareLink({ left, right, at, same, folds, side }: CompareAddress): string {
  const place = at === null ? "" : `/at/${at}`;
  const path = `#/compare/${encodeURIComponent(left.key)}/${encodeURIComponent(right.key)}${place}`;
  const choices = { ...choicesIn(""), view: left.view, branch: left.branch, folds };
  const link = withChoices(path, choices);
  const more = new URLSearchParams([
    ...(right.view === "model" ? [["view2", "model"]] : []),
    ...(right.branch === null ? [] : [["branch2", right.branch]]),
    ...[...same].slice(-MAX_RUNS).map((number) => ["same", String(number)]),
    ...(side === "right" ? [["side", "right"]] : []),
  ]);
  if (more.size === 0) return link;
  return `${link}${link.includes("?") ? "&" : "?"}${more}`;
}

export function swapped({ left, right, ...rest }: CompareAddress): CompareAddress {
  return { ...comparison(right, left), folds: rest.folds };
}
