/** The header with the links, and below it the page that the address names. */

import type { VNode } from "preact";
import { ListPage } from "../list/list.tsx";
import { access } from "../state/server.ts";
import { attention } from "./attention.ts";
import { IS_PHONE } from "./choices.ts";
import { HelpButton } from "./help.tsx";
import { lazily } from "./lazy.tsx";
import { type Route, route } from "./route.ts";
import { ThemeButton } from "./theme-button.tsx";
import { TypingAhead } from "./typing-ahead.tsx";

/** These parts are loaded when they are needed: the list does not need them. */
const BlamePage = lazily(async () => (await import("../blame/blame-page.tsx")).BlamePage);
const InboxPage = lazily(async () => (await import("../inbox/inbox-page.tsx")).InboxPage);
const UsagePage = lazily(async () => (await import("../usage/usage-page.tsx")).UsagePage);
const HealthPage = lazily(async () => (await import("../health/health.tsx")).HealthPage);
const ComparePage = lazily(async () => (await import("../compare/compare-page.tsx")).ComparePage);
const ChannelsPage = lazily(async () => (await import("../channels/channel-list.tsx")).ChannelsPage);
const ChannelPage = lazily(async () => (await import("../channels/channel-page.tsx")).ChannelPage);
const LiveListPage = lazily(async () => (await import("../live/live-list.tsx")).LiveListPage);
const LivePage = lazily(async () => (await import("../live/live-page.tsx")).LivePage);
const PhonesPage = lazily(async () => (await import("../phones/phones-page.tsx")).PhonesPage);
const NewChatPage = lazily(
  async () => (await import("../new-chat/new-chat-page.tsx")).NewChatPage,
  TypingAhead,
);
const SignedOut = lazily(async () => (await import("../help/signed-out.tsx")).SignedOut);
const SignOut = lazily(async () => (await import("../help/sign-out.tsx")).SignOut);
const LostNotice = lazily(async () => (await import("../help/lost-notice.tsx")).LostNotice);
const UnknownPage = lazily(async () => (await import("../help/unknown-page.tsx")).UnknownPage);
const SessionPage = lazily(async () => (await import("../session/session.tsx")).SessionPage);

const LINKS = [
  ["inbox", "Inbox"],
  ["channels", "Channels"],
  ["live", "Live"],
  ["usage", "Usage"],
  ["health", "Health"],
] as const;
/** Pages for phones have no channels, no continuous sessions and no health. */
const LINKS_OF_PHONE = LINKS.filter(([page]) => page === "inbox" || page === "usage");

export function App(): VNode {
  const place = route.value;
  return (
    <>
      <header class="top">
        <button type="button" class="skip" onClick={skipToContent}>
          Skip to the content
        </button>
        <a class="brand" href="#/" aria-current={place.page === "list" ? "page" : undefined}>
          <span>Continuo</span>
        </a>
        <nav class="top-links" aria-label="Pages">
          {(IS_PHONE ? LINKS_OF_PHONE : LINKS).map(([page, label]) => (
            <a
              key={page}
              class="top-link"
              href={`#/${page}`}
              aria-current={place.page === page ? "page" : undefined}
            >
              {label}
              {page === "inbox" ? <Count /> : null}
            </a>
          ))}
        </nav>
        <HelpButton />
        <ThemeButton />
        <SignOut />
      </header>
      {access.value === "in" ? <LostNotice /> : null}
      {access.value === "in" ? pageAt(place) : <SignedOut />}
    </>
  );
}

/** Shows the number of waiting questions; if there are none, the number of ended sessions that were not viewed. */
function Count(): VNode | null {
  const { asks, unseen } = attention.value;
  if (asks + unseen === 0) return null;
  const words = asks > 0 ? "waiting" : "unseen";
  return (
    <>
      {" "}
      <span class={asks > 0 ? "count asks" : "count"} title={words}>
        {asks || unseen}
        <span class="hidden-text"> {words}</span>
      </span>
    </>
  );
}

/**
 * A button calls this, because a link would change the part of the address after `#`, which names a page of the viewer.
 * In a session, the first visible line gets the focus, so that the session does not scroll.
 */
function skipToContent(): void {
  const main = document.querySelector("main");
  if (main === null) return;
  const { top } = main.getBoundingClientRect();
  const lines = [...main.querySelectorAll<HTMLElement>(".turns .line")];
  const place = lines.find((line) => line.getBoundingClientRect().bottom > top) ?? main;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

function pageAt(place: Route): VNode {
  switch (place.page) {
    case "list":
      return <ListPage />;
    case "inbox":
      return <InboxPage />;
    case "usage":
      return <UsagePage />;
    case "health":
      return <HealthPage />;
    case "phones":
      return <PhonesPage />;
    case "new":
      return <NewChatPage />;
    case "file":
      return <BlamePage key={place.path} path={place.path} />;
    case "compare":
      return <ComparePage />;
    case "unknown":
      return <UnknownPage />;
    case "channels":
      return place.name === null ? <ChannelsPage /> : <ChannelPage key={place.name} name={place.name} />;
    case "live":
      return place.key === null ? (
        <LiveListPage />
      ) : (
        <LivePage key={place.key} sessionKey={place.key} at={place.at} />
      );
    case "session":
      return <SessionPage key={place.key} sessionKey={place.key} turn={place.turn} tab={place.tab} />;
  }
}
