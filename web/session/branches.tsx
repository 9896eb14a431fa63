/**
 * The branches of a session as a small tree: each is below the branch from which it separates. Choosing a branch goes
 * to the point of separation.
 */

import { visibleLine } from "@continuo/core/transcript";
import { type Branch, type SessionBranches, sessionPath } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { counted, dateAndClock } from "../content/words.ts";
import { ask, isAbort, sayError } from "../state/server.ts";
import type { SessionState } from "./session-state.ts";

interface BranchTreeProps {
  readonly state: SessionState;
  readonly onClose: () => void;
}

export function BranchTree({ state, onClose }: BranchTreeProps): VNode {
  const answer = useSignal<SessionBranches | null>(null);
  const failure = useSignal<string | null>(null);
  const part = useRef<HTMLElement>(null);
  const count = state.head.value?.branches.length ?? 0;
  useEffect(() => {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      try {
        answer.value = await ask<SessionBranches>(sessionPath(state.key, "branches"), {
          signal: stop.signal,
        });
        failure.value = null;
      } catch (error) {
        if (!isAbort(error)) failure.value = sayError(error);
      }
    };
    void read();
    return () => stop.abort();
  }, [answer, failure, state, count]);
  const isRead = answer.value !== null;
  useLayoutEffect(() => {
    if (isRead) part.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
  }, [isRead]);
  const { branches = [], left = 0 } = answer.value ?? {};
  return (
    <section
      class="branch-tree"
      aria-label="Branches"
      ref={part}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
        else if (!moveFocus(event.key, event.currentTarget)) return;
        // Without this, Escape would also cancel a running turn.
        event.preventDefault();
      }}
    >
      {isRead && failure.value === null ? null : (
        <p class="dim" role="status">
          {failure.value ?? "Reading…"}
        </p>
      )}
      <Level branches={branches} parent={null} state={state} />
      {left === 0 ? null : <p class="dim">{counted(left, "older branch", "older branches")} not drawn</p>}
    </section>
  );
}

interface LevelProps {
  readonly branches: readonly Branch[];
  /** The branch from which the branches of this level separate. */
  readonly parent: string | null;
  readonly state: SessionState;
}

/** The branches below one parent: the active branch first, then in the order in which they separate from the parent. */
function Level({ branches, parent, state }: LevelProps): VNode | null {
  const here = branches.filter((branch) => branch.parent === parent);
  if (here.length === 0) return null;
  return (
    <ul>
      {here
        .sort((a, b) => Number(b.active) - Number(a.active) || a.shared - b.shared)
        .map((branch) => (
          <li key={branch.id}>
            <Line branch={branch} state={state} />
            <Level branches={branches} parent={branch.id} state={state} />
          </li>
        ))}
    </ul>
  );
}

function Line({ branch, state }: { branch: Branch; state: SessionState }): VNode {
  const { id, active, label, messages, shared, first, parent, updatedAt } = branch;
  const isShown = state.branch.value === (active ? null : id);
  const own = messages - shared;
  const facts = [
    active ? "active" : null,
    parent === null ? null : first === null ? "ends here" : `from turn ${first.turn}`,
    parent === null ? counted(messages, "message") : `${counted(own, "message")} of its own`,
    dateAndClock(updatedAt),
  ];
  return (
    <button
      type="button"
      aria-current={isShown ? "true" : undefined}
      onClick={() =>
        void state.setBranch(active ? null : id, parent === null ? null : (first?.messageId ?? null))
      }
    >
      <bdi>{label === null ? "Nothing was typed" : visibleLine(label)}</bdi>
      <span class="dim">{facts.filter((fact) => fact !== null && fact !== "").join(" · ")}</span>
    </button>
  );
}

/** True for a key that moves the focus: up, down, to the first or last line, to the parent line, to the first child. */
function moveFocus(key: string, tree: HTMLElement): boolean {
  const lines = [...tree.querySelectorAll<HTMLElement>("button")];
  const here = lines.indexOf(document.activeElement as HTMLElement);
  const item = lines[here]?.closest("li");
  const goals: Readonly<Record<string, () => HTMLElement | null | undefined>> = {
    ArrowDown: () => lines[here + 1],
    ArrowUp: () => lines[here - 1],
    Home: () => lines[0],
    End: () => lines.at(-1),
    ArrowLeft: () => item?.parentElement?.closest("li")?.querySelector("button"),
    ArrowRight: () => item?.querySelector<HTMLElement>(":scope > ul > li > button"),
  };
  if (!Object.hasOwn(goals, key)) return false;
  goals[key]?.()?.focus();
  return true;
}
