/** The access of this page: the server reports once if the page may change something. */

import { MACHINE_ROOT, type SessionsPage } from "@continuo/core/wire/machine";
import { useEffect } from "preact/hooks";
import { failure, mayChange } from "../list/list-state.ts";
import { ask, sayError } from "../state/server.ts";

let isAsked = false;

async function askAccess(): Promise<void> {
  // A list also reports it.
  if (isAsked || mayChange.value !== null) return;
  isAsked = true;
  try {
    const { readOnly } = await ask<SessionsPage>(`${MACHINE_ROOT}/sessions?limit=1`);
    mayChange.value = readOnly === undefined;
  } catch (error) {
    isAsked = false;
    failure.value = sayError(error);
  }
}

/** `null` until it is known. */
export function useMayChange(): boolean | null {
  useEffect(() => void askAccess(), []);
  return mayChange.value;
}
