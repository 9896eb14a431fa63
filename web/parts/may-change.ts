/** The access of this page: the server says once if it may change something. */

import { MACHINE_ROOT, type SessionsPage } from "@continuo/core/wire/machine";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { failure } from "../list/list-state.ts";
import { ask, sayError } from "../state/server.ts";

/** `null` until the server was asked. */
const mayChange = signal<boolean | null>(null);
let isAsked = false;

async function askAccess(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  try {
    const { readOnly } = await ask<SessionsPage>(`${MACHINE_ROOT}/sessions?deleted=only&limit=1`);
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
