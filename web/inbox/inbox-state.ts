/**
 * The inbox of the machine, followed on every page: the header, the title and the icon show the number of waiting
 * sessions.
 */

import { type InboxEnd, type InboxState, MACHINE_ROOT, type SeenRequest } from "@continuo/core/wire/machine";
import { computed, effect, signal } from "@preact/signals";
import { attention } from "../shell/attention.ts";
import { route } from "../shell/route.ts";
import { type Growth, listen } from "../state/listen.ts";
import { Poll } from "../state/polling.ts";
import { ask, sayError } from "../state/server.ts";
import { mayNotify, notify } from "./notifications.ts";
import { showAttention } from "./title.ts";

const INBOX = `${MACHINE_ROOT}/inbox`;

/** The newest state of the server; `null` before its first answer. */
const told = signal<InboxState | null>(null);
export const failure = signal<string | null>(null);

/** The times of viewed sessions by their keys, on a page that may only read: the server does not store them. */
const looks = signal<ReadonlyMap<string, string>>(new Map());

/** The inbox without the sessions that this page has viewed. */
export const inbox = computed<InboxState | null>(() => {
  const state = told.value;
  if (state === null || looks.value.size === 0) return state;
  const isNew = ({ session: { key, updatedAt } }: InboxEnd): boolean =>
    (updatedAt ?? "") > (looks.value.get(key) ?? "");
  const [failed, finished] = [state.failed.filter(isNew), state.finished.filter(isNew)];
  const hidden = state.failed.length + state.finished.length - failed.length - finished.length;
  return { ...state, failed, finished, unseen: state.unseen - hidden };
});

/** True in the one tab that stays connected while it is hidden, so that it can notify. */
let isKeeper = false;
/** The stream of the inbox, on its own page and in the tab that notifies. */
let heard: Growth | null = null;

/**
 * Runs once in the lifetime of a page. A browser has few connections, and most pages use one for their own stream: they
 * request the inbox every few seconds.
 */
export function followInbox(): void {
  const poll = new Poll((stop) =>
    heard === null ? ask<InboxState>(INBOX, { signal: stop }) : Promise.resolve(told.peek()),
  );
  effect(() => {
    if (poll.answer.value !== null) take(poll.answer.value);
  });
  poll.follow();
  void navigator.locks?.request("continuo-inbox", () => {
    isKeeper = true;
    listenOrNot();
    return new Promise(() => undefined);
  });
  effect(listenOrNot);
  effect(() => {
    const { asks, unseen } = inbox.value ?? { asks: [], unseen: 0 };
    attention.value = { asks: asks.length, unseen };
  });
  effect(() => showAttention(attention.value));
  effect(() => lookAtOpen(inbox.value));
  document.addEventListener("visibilitychange", () => {
    listenOrNot();
    lookAtOpen(inbox.peek());
  });
}

function listenOrNot(): void {
  const isOwnPage = route.value.page === "inbox";
  if (document.visibilityState === "visible" ? isOwnPage : isKeeper && mayNotify()) {
    const hear = (data: unknown): void => take(data as InboxState);
    heard ??= listen(() => `${INBOX}/events`, { inbox: hear }, { whenHidden: () => true });
  } else {
    heard?.close();
    heard = null;
  }
}

function take(state: InboxState): void {
  const before = told.peek();
  if (JSON.stringify(before) === JSON.stringify(state)) return;
  notify(before, state);
  told.value = state;
}

/** The session that the person has open counts as seen, and so do its sub-agents. */
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

/** Marks these sessions, or all, as seen. */
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
