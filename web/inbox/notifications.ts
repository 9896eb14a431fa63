/**
 * Notifications of the system, if the person allowed them: for a question and for the end of a session, while the
 * person does not look at the page.
 */

import type { InboxSession, InboxState } from "@continuo/core/wire/machine";
import { signal } from "@preact/signals";
import { titleText } from "../content/title.ts";
import { sessionLink } from "../shell/route.ts";

type Permission = NotificationPermission | "none";

/** `none` if the browser has no notifications for this address. */
export const permission = signal<Permission>(
  "Notification" in globalThis && isSecureContext ? Notification.permission : "none",
);

export function mayNotify(): boolean {
  return permission.peek() === "granted";
}

export async function askToNotify(): Promise<void> {
  permission.value = await Notification.requestPermission();
}

/**
 * Shows what is new since the previous state. The first state of a page is not new, and a page that is visible and in
 * focus needs no notification.
 */
export function notify(before: InboxState | null, now: InboxState): void {
  if (before === null || !mayNotify() || (document.visibilityState === "visible" && document.hasFocus()))
    return;
  const asked = new Set(before.asks.map(({ question }) => question.approvalId));
  for (const { session, question } of now.asks) {
    if (!asked.has(question.approvalId)) show("A question waits", session, question.approvalId);
  }
  const known = new Set(endsOf(before).map(nameOf));
  const failed = new Set(now.failed.map(({ session }) => session));
  for (const session of endsOf(now)) {
    if (!known.has(nameOf(session))) show(failed.has(session) ? "Failed" : "Finished", session, session.key);
  }
}

function endsOf({ failed, finished }: InboxState): readonly InboxSession[] {
  return [...failed, ...finished].map(({ session }) => session);
}

function nameOf({ key, updatedAt }: InboxSession): string {
  return `${key} ${updatedAt}`;
}

/** Shows only the title of the session, and no part of its messages, because a locked screen shows notifications. */
function show(what: string, { key, title }: InboxSession, tag: string): void {
  try {
    const notification = new Notification(what, { body: titleText(title), tag });
    notification.onclick = () => {
      window.focus();
      location.hash = sessionLink(key);
      notification.close();
    };
  } catch {
    // Some browsers of phones show no notification from a page.
    permission.value = "none";
  }
}
