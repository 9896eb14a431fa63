/** The inbox of the machine, followed on every page: the header, the title and the icon show what waits. */

import { type InboxEnd, type InboxState, MACHINE_ROOT, type SeenRequest } from "@continuo/core/wire/machine";
import { computed, effect, signal } from "@preact/signals";
import { attention } from "../shell/attention.ts";
import { route } from "../shell/route.ts";
import { type Growth, listen } from "../state/listen.ts";
import { ask, sayError } from "../state/server.ts";
import { mayNotify, notify } from "./notifications.ts";
import { showAttention } from "./title.ts";

const INBOX = `${MACHINE_ROOT}/inbox`;

/** The newest state of the server; `null` before its first answer. */
const told = signal<InboxState | null>(null);
export const failure = signal<string | null>(null);

/** Looks of a page that may only read, which the server does not keep: times of sessions by their keys. */
const looks = signal<ReadonlyMap<string, string>>(new Map());

/** The inbox without what this page has looked at. */
export const inbox = computed<InboxState | null>(() => {
  const state = told.value;
  if (state === null || looks.value.size === 0) return state;
  const isNew = ({ session: { key, updatedAt } }: InboxEnd): boolean =>
    (updatedAt ?? "") > (looks.value.get(key) ?? "");
  const [failed, finished] = [state.failed.filter(isNew), state.finished.filter(isNew)];
  const hidden = state.failed.length + state.finished.length - failed.length - finished.length;
  return { ...state, failed, finished, unseen: state.unseen - hidden };
});

/** One tab without a view keeps its connection, so that it can notify; a browser has few connections. */
let isKeeper = false;

/** Once in the life of a page. */
export function followInbox(): void {
  let growth: Growth = begin();
  void navigator.locks?.request("continuo-inbox", () => {
    isKeeper = true;
    growth.close();
    growth = begin();
    return new Promise(() => undefined);
  });
  effect(() => {
    const { asks, unseen } = inbox.value ?? { asks: [], unseen: 0 };
    attention.value = { asks: asks.length, unseen };
  });
  effect(() => showAttention(attention.value));
  effect(() => lookAtOpen(inbox.value));
  document.addEventListener("visibilitychange", () => lookAtOpen(inbox.peek()));
}

function begin(): Growth {
  const hear = (data: unknown): void => {
    const state = data as InboxState;
    notify(told.value, state);
    told.value = state;
  };
  const whenHidden = (): boolean => isKeeper && mayNotify();
  return listen(() => `${INBOX}/events`, { inbox: hear }, { whenHidden });
}

/** The session that the person has open is seen, and so are its sub-agents. */
function lookAtOpen(state: InboxState | null): void {
  const place = route.value;
  if (state === null || place.page !== "session" || document.visibilityState !== "visible") return;
  const [key = ""] = place.key.split(">");
  const ended = [...state.failed, ...state.finished];
  const isListed = ended.some(({ session }) => session.key === key);
  if (isListed || (state.unseen > ended.length && place.key !== lastLooked)) void see({ keys: [key] });
  lastLooked = place.key;
}

let lastLooked = "";

/** The sessions that are shown, or all. */
export async function see(request: SeenRequest): Promise<void> {
  const state = told.peek();
  if (state?.rights === "read") {
    const ended = [...state.failed, ...state.finished].map(({ session }) => session);
    const seen = "all" in request ? ended : ended.filter(({ key }) => request.keys.includes(key));
    looks.value = new Map([
      ...looks.peek(),
      ...seen.map(({ key, updatedAt }) => [key, updatedAt ?? ""] as const),
    ]);
    return;
  }
  try {
    await ask(`${INBOX}/seen`, { body: request });
    failure.value = null;
  } catch (error) {
    failure.value = sayError(error);
  }
}
