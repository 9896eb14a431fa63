/**
 * The rows that a person chose in the list, and what can be done with all of them. A page that only reads can only
 * export.
 */

import { visibleLine } from "@continuo/core/transcript";
import { type MachineSession, ONLY_READS } from "@continuo/core/wire/machine";
import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { compareLink, comparison, historyOf } from "../compare/compare-address.ts";
import { titleText } from "../content/title.ts";
import { counted } from "../content/words.ts";
import { chosen, filters, load, rows, toggleChosen } from "../list/list-state.ts";
import { useMayChange } from "../parts/may-change.ts";
import { isLost } from "../state/server.ts";
import { DeleteDialog, ExportDialog, TagDialog } from "./chosen-dialogs.tsx";
import { type Outcome, pinAll, restoreAll, undoDeletion } from "./chosen-work.ts";

type BarAction = "delete" | "export" | "tag";

export function ChosenBox({ row }: { row: MachineSession }): VNode {
  const isChosen = chosen.value?.includes(row.key) === true;
  return (
    <input
      type="checkbox"
      class="choose"
      aria-label={`Select ${titleText(row.title, "this session")}`}
      checked={isChosen}
      onChange={() => toggleChosen(row.key)}
    />
  );
}

export function ChosenBar(): VNode {
  const keys = new Set(chosen.value);
  const picked = rows.value.filter(({ key }) => keys.has(key));
  const asked = useSignal<BarAction | null>(null);
  const progress = useSignal<string | null>(null);
  const outcome = useSignal<Outcome | null>(null);
  const run = async (work: Work): Promise<void> => {
    asked.value = null;
    outcome.value = null;
    progress.value = "";
    const ended = await work((done) => {
      progress.value = `${done} of ${picked.length}`;
    });
    // The buttons depend on the rows, such as `Pin` or `Unpin`, so the list is read before they can be pressed again.
    await load();
    const there = new Set(rows.value.map(({ key }) => key));
    if (chosen.value !== null) chosen.value = chosen.value.filter((key) => there.has(key));
    progress.value = null;
    outcome.value = ended;
  };
  const isOff = picked.length === 0 || progress.value !== null || isLost.value;
  const isAll = picked.length === rows.value.length;
  const set = setterOf(asked);
  const dialog = { sessions: picked, run, onClose: set(null) };
  return (
    <section class="chosen-bar" aria-label="Selected sessions">
      <div class="chosen-actions">
        <output aria-live="polite">{counted(picked.length, "session")} selected</output>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            chosen.value = isAll ? [] : rows.value.map(({ key }) => key);
          }}
        >
          {isAll ? "None" : `All ${rows.value.length.toLocaleString("en")} shown`}
        </button>
        <fieldset class="bare" disabled={isOff}>
          <ChangeButtons picked={picked} run={run} asked={asked} />
          {picked.length === 2 ? (
            <button type="button" onClick={() => comparePicked(chosen.value ?? [])}>
              Compare
            </button>
          ) : null}
          {filters.value.shown === "deleted" ? null : (
            <button type="button" onClick={set("export")}>
              Export…
            </button>
          )}
        </fieldset>
        <button type="button" class="quiet" onClick={endChoosing}>
          Done
        </button>
      </div>
      {progress.value === null ? null : <p class="dim">Working… {progress.value}</p>}
      {outcome.value === null ? null : <Result outcome={outcome} run={run} />}
      {asked.value === "delete" ? <DeleteDialog {...dialog} /> : null}
      {asked.value === "export" ? <ExportDialog {...dialog} /> : null}
      {asked.value === "tag" ? <TagDialog {...dialog} /> : null}
    </section>
  );
}

function setterOf(asked: Signal<BarAction | null>): (next: BarAction | null) => () => void {
  return (next) => () => {
    asked.value = next;
  };
}

/** The one that was chosen first is on the left. */
function comparePicked([left, right]: readonly string[]): void {
  if (left === undefined || right === undefined) return;
  location.hash = compareLink(comparison(historyOf(left), historyOf(right)));
}

function endChoosing(): void {
  chosen.value = null;
}

/** @param onDone called with the number of sessions that are done */
export type Work = (onDone: (count: number) => void) => Promise<Outcome>;

interface ChangeProps {
  readonly picked: readonly MachineSession[];
  readonly run: (work: Work) => Promise<void>;
  readonly asked: Signal<BarAction | null>;
}

function ChangeButtons({ picked, run, asked }: ChangeProps): VNode | null {
  const mayChange = useMayChange();
  if (mayChange === null) return null;
  if (!mayChange) return <span class="dim">{ONLY_READS}</span>;
  if (filters.value.shown === "deleted") {
    return (
      <button type="button" onClick={() => void run((onDone) => restoreAll(picked, onDone))}>
        Restore
      </button>
    );
  }
  const arePinned = picked.length > 0 && picked.every(({ marks }) => marks.pinned);
  return (
    <>
      <button type="button" onClick={() => void run((onDone) => pinAll(picked, !arePinned, onDone))}>
        {arePinned ? "Unpin" : "Pin"}
      </button>
      <button type="button" onClick={setterOf(asked)("tag")}>
        Tags…
      </button>
      <button type="button" onClick={setterOf(asked)("delete")}>
        Delete…
      </button>
    </>
  );
}

function Result({
  outcome,
  run,
}: {
  outcome: Signal<Outcome | null>;
  run: ChangeProps["run"];
}): VNode | null {
  if (outcome.value === null) return null;
  const { words, failures, trashIds } = outcome.value;
  return (
    <div class="chosen-result">
      <p role="status">
        {words}{" "}
        {trashIds.length === 0 ? null : (
          <button
            type="button"
            disabled={isLost.value}
            onClick={() => void run((onDone) => undoDeletion(trashIds, onDone))}
          >
            Undo
          </button>
        )}
      </p>
      {failures.length === 0 ? null : (
        <ul class="bad" role="alert">
          {failures.slice(0, 20).map((text) => (
            <li key={text}>{visibleLine(text)}</li>
          ))}
          {failures.length > 20 ? <li>{counted(failures.length - 20, "more failure")}</li> : null}
        </ul>
      )}
    </div>
  );
}
