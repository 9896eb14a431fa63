/** The way back of a hidden session into its agent's list: the plan first, then the change, then its undo. */

import { visibleLine } from "@continuo/core/transcript";
import { type BringBackAnswer, MACHINE_ROOT } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useMayChange } from "../parts/may-change.ts";
import { restored } from "../parts/trash.tsx";
import { ask, isLost, sayError } from "../state/server.ts";
import type { HiddenLine, RiskState } from "./risk-state.ts";

interface WayBackProps {
  readonly line: HiddenLine;
  readonly sessionKey: string;
  readonly name: string;
  readonly state: RiskState;
}

export function WayBack({ line: { row, back }, sessionKey, name, state }: WayBackProps): VNode | null {
  const plan = useSignal<BringBackAnswer | null>(null);
  const isUndone = useSignal(false);
  const isBusy = useSignal(false);
  const failed = useSignal<string | null>(null);
  const said = useRef<HTMLDivElement>(null);
  if (useMayChange() !== true) return null;
  const path = `${MACHINE_ROOT}/sessions/${encodeURIComponent(sessionKey)}/bring-back`;
  const run = async (work: () => Promise<void>): Promise<void> => {
    isBusy.value = true;
    failed.value = null;
    try {
      await work();
      // The pressed button no longer exists.
      said.current?.focus();
    } catch (error) {
      failed.value = sayError(error);
    }
    isBusy.value = false;
  };
  const look = async (): Promise<void> => {
    isUndone.value = false;
    plan.value = await ask<BringBackAnswer>(path);
  };
  const change = async (): Promise<void> => {
    const done = await ask<BringBackAnswer>(path, { body: {} });
    plan.value = null;
    await state.change(row.location, done);
  };
  const undo = async (): Promise<void> => {
    await restored({ trashId: back?.trashId ?? null });
    isUndone.value = true;
    await state.change(row.location, null);
  };
  const button = (label: string, work: () => Promise<void>): VNode => (
    <button
      type="button"
      aria-label={`${label} ${name}`}
      disabled={isBusy.value || isLost.value}
      onClick={() => void run(work)}
    >
      {label}
    </button>
  );
  return (
    <div class="way-back" aria-busy={isBusy.value}>
      {failed.value === null ? null : (
        <p class="bad" role="alert">
          {failed.value}
        </p>
      )}
      <div role="status" tabIndex={-1} ref={said}>
        {back === null ? <Plan plan={plan.value} isUndone={isUndone.value} /> : BACK}
      </div>
      <p class="actions">
        {back === null && plan.value === null ? button("Bring back…", look) : null}
        {back === null && plan.value !== null ? button("Bring it back", change) : null}
        {back === null ? null : button("Undo", undo)}
      </p>
    </div>
  );
}

const BACK = (
  <p class="good">
    It is back in its agent's list. The old state is in <a href="#/?shown=deleted">the trash</a>.
  </p>
);

interface PlanProps {
  readonly plan: BringBackAnswer | null;
  readonly isUndone: boolean;
}

function Plan({ plan, isUndone }: PlanProps): VNode | null {
  if (plan === null) return isUndone ? <p>It is as it was before.</p> : null;
  return (
    <>
      <p>Nothing is written yet. The plan:</p>
      <ol>
        {plan.steps.map((step) => (
          <li key={step}>
            <bdi>{visibleLine(step)}</bdi>
          </li>
        ))}
      </ol>
      <p>{visibleLine(plan.changes)} The old state goes to the trash.</p>
    </>
  );
}
