/** The head of a column: the session, and which of its histories. */

import { visibleLine } from "@continuo/core/transcript";
import type { VNode } from "preact";
import { titleText } from "../content/title.ts";
import { agentName, counted, dateAndClock } from "../content/words.ts";
import { type ComparedHistory, compareLink, comparison } from "./compare-address.ts";
import type { ComparedSide, CompareState } from "./compare-state.ts";

export function titleOfSide({ session }: ComparedSide): string {
  const head = session.head.value;
  if (head === null) return "Session";
  return titleText(head.session.title);
}

interface SideHeadProps {
  readonly side: ComparedSide;
  readonly state: CompareState;
}

export function SideHead({ side, state }: SideHeadProps): VNode {
  const { name, history, session } = side;
  const head = session.head.value;
  const turns = side.turns.value;
  const facts = [
    head === null ? null : agentName(head.session.agent),
    head === null ? null : head.models.map(visibleLine).join(", "),
    turns === null ? null : counted(turns.length, "turn"),
    head === null ? null : dateAndClock(head.session.updatedAt),
  ];
  const label = name === "left" ? "Left" : "Right";
  return (
    <section class={`side-head ${name}`} aria-label={label}>
      <h2>
        <span class="side-name">{label}</span>
        <a href={session.link()}>
          <bdi>{titleOfSide(side)}</bdi>
        </a>
      </h2>
      <p class="facts">
        {facts
          .filter((fact) => fact !== null && fact !== "")
          .map((fact) => (
            <bdi key={fact}>{fact}</bdi>
          ))}
      </p>
      <div class="side-choices">
        <BranchChoice side={side} state={state} />
        <button
          type="button"
          class="quiet"
          aria-pressed={history.view === "model"}
          title="What would be sent to the model on the next resume"
          onClick={() => goTo(state, side, { view: history.view === "model" ? "history" : "model" })}
        >
          As the model sees it
        </button>
      </div>
    </section>
  );
}

function BranchChoice({ side, state }: SideHeadProps): VNode | null {
  const branches = side.session.head.value?.branches ?? [];
  if (branches.length < 2) return null;
  return (
    <label>
      Branch{" "}
      <select
        value={side.history.branch ?? ""}
        onChange={({ currentTarget }) =>
          goTo(state, side, { branch: currentTarget.value === "" ? null : currentTarget.value })
        }
      >
        {branches.map(({ id, active, label, updatedAt }) => (
          <option key={id} value={active ? "" : id}>
            {label === null ? "Nothing was typed" : visibleLine(label)}, {dateAndClock(updatedAt)}
            {active ? " (active)" : ""}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Another history is another comparison, which begins at its first row. */
function goTo(state: CompareState, side: ComparedSide, change: Partial<ComparedHistory>): void {
  const { left, right } = state.address;
  const changed = { ...side.history, ...change };
  const next = side.name === "left" ? comparison(changed, right) : comparison(left, changed);
  location.hash = compareLink({ ...next, side: state.side.value });
}
