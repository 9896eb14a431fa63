/** One session: its turns, its files, and its facts. */

import { useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { ErrorText } from "../content/error-text.tsx";
import { titleText } from "../content/title.ts";
import { listAddress, rows } from "../list/list-state.ts";
import { useKeys } from "../shell/keys.ts";
import { lazily } from "../shell/lazy.tsx";
import { isSessionAt, partIn, route, type SessionTab, writeAddress } from "../shell/route.ts";
import { isLost, isSaved } from "../state/server.ts";
import { choicesIn } from "./choices.ts";
import { Conversation } from "./conversation.tsx";
import { Facts } from "./facts.tsx";
import { SessionState } from "./session-state.ts";

interface SessionPageProps {
  readonly sessionKey: string;
  readonly turn: number | null;
  readonly tab: SessionTab;
}

const TABS: readonly (readonly [SessionTab, string, string])[] = [
  ["conversation", "Conversation", ""],
  ["files", "Files", "files"],
  ["film", "Film", "film"],
  ["details", "Details", "details"],
];

const Actions = lazily(async () => (await import("./actions.tsx")).Actions);
const ChatDock = lazily(async () => (await import("../chat/dock.tsx")).ChatDock);
const Details = lazily(async () => (await import("./details.tsx")).Details);
const FactsLine = lazily(async () => (await import("./facts-line.tsx")).FactsLine);
const Film = lazily(async () => (await import("./film.tsx")).Film);
const Files = lazily(async () => (await import("./files.tsx")).Files);

export function SessionPage({ sessionKey, turn, tab }: SessionPageProps): VNode {
  const state = useMemo(() => new SessionState(sessionKey, choicesIn(location.hash)), [sessionKey]);
  useEffect(() => () => state.close(), [state]);
  // Each address that the reader opens is a new value, even if it names the same turn.
  const place = route.value;
  useEffect(() => void state.show(choicesIn(location.hash), turn), [state, place]);
  useSignalEffect(() => {
    const link = state.link(partIn(location.hash));
    // A saved page shows its first session at an address that names none.
    if (link !== location.hash && (isSaved() || isSessionAt(sessionKey))) writeAddress(link);
  });
  useSignalEffect(() => {
    document.title = `${titleOf(state)} · Continuo`;
  });
  useSignalEffect(() => {
    // The failure came from a server that answers again.
    if (!isLost.value && state.failure.peek() !== null) void state.readAgain();
  });
  useKeys({
    u: () => !isSaved() && goTo(listAddress()),
    f: () => goTo(state.link(tab === "files" ? "" : "files")),
  });
  return (
    <div class="session-page">
      <section class="session-head" aria-label="Session">
        <div class="session-title">
          <h1 title={titleOf(state)}>
            <bdi>{titleOf(state)}</bdi>
          </h1>
          {isSaved() ? null : <Actions state={state} />}
        </div>
        <Facts state={state} />
        <div class="facts-room">
          <FactsLine state={state} />
        </div>
        <nav class="tabs" aria-label="Parts of the session">
          {TABS.filter(([name]) => name !== "film" || !isSaved()).map(([name, label, rest]) => (
            <a key={name} href={state.link(rest)} aria-current={tab === name ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        {state.failure.value === null ? null : (
          <p class="notice bad" role="alert">
            <ErrorText text={state.failure.value} />
          </p>
        )}
        {state.gone.value ? <p class="notice bad">This session was deleted.</p> : null}
      </section>
      {tab === "files" ? (
        <Files state={state} />
      ) : tab === "film" ? (
        <Film state={state} />
      ) : tab === "details" ? (
        <Details state={state} />
      ) : (
        <>
          <Conversation state={state} />
          {isSaved() ? null : <ChatDock state={state} />}
        </>
      )}
    </div>
  );
}

/** The title from the list is shown before the session was read. */
export function titleOf({ head, key }: SessionState): string {
  const row = head.value?.session ?? rows.value.find((listed) => listed.key === key);
  if (row === undefined) return "Session";
  return titleText(row.title);
}

function goTo(hash: string): void {
  location.hash = hash;
}
