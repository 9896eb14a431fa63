/** Advice for a person who watches no video yet. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { browser } from "wxt/browser";
import { parseOrigins, type ToPage } from "../messages/messages.ts";
import { isAllowedOn, nameOfSite, patternOf, siteNow } from "./site.ts";

export function NoVideo(): JSX.Element {
  const [site, setSite] = useState<string | null>(null);
  const [isAllowed, setAllowed] = useState(false);
  const [frame, setFrame] = useState<string | null>(null);
  const look = async (): Promise<void> => {
    const { tabId, pattern: found } = await siteNow();
    const isKnown = found !== null && (await isAllowedOn(found));
    setSite(found);
    setAllowed(isKnown);
    setFrame(isKnown ? await frameToAllow(tabId) : null);
  };
  useEffect(() => {
    void look();
    const again = (): void => void look();
    browser.tabs.onActivated.addListener(again);
    browser.tabs.onUpdated.addListener(again);
    browser.storage.session.onChanged.addListener(again);
    return () => {
      browser.tabs.onActivated.removeListener(again);
      browser.tabs.onUpdated.removeListener(again);
      browser.storage.session.onChanged.removeListener(again);
    };
  }, []);
  if (site === null) {
    return <p class="empty">Open a page with a video, and press the Continuo button in the toolbar there.</p>;
  }
  const allow = (pattern: string): void =>
    void browser.permissions.request({ origins: [pattern] }).then(() => look());
  if (!isAllowed) {
    return (
      <Allow pattern={site} onAllow={allow}>
        Continuo reads videos and captions only on sites that you allow.
      </Allow>
    );
  }
  if (frame !== null) {
    return (
      <Allow pattern={frame} onAllow={allow}>
        There is no video of {nameOfSite(site)} itself on this page. If you see one, it is in a frame of{" "}
        {nameOfSite(frame)}, which you have not allowed.
      </Allow>
    );
  }
  return (
    <p class="empty">There is no video on this page of {nameOfSite(site)} yet. Open one, and play it.</p>
  );
}

interface AllowProps {
  readonly pattern: string;
  readonly onAllow: (pattern: string) => void;
  readonly children: ComponentChildren;
}

function Allow({ pattern, onAllow, children }: AllowProps): JSX.Element {
  return (
    <div class="empty">
      <p>{children}</p>
      <button type="button" class="main" onClick={() => onAllow(pattern)}>
        Allow on {nameOfSite(pattern)}
      </button>
    </div>
  );
}

/** The site of the largest iframe of the page whose site the person did not allow. */
async function frameToAllow(tabId: number | undefined): Promise<string | null> {
  if (tabId === undefined) return null;
  const message: ToPage = { to: "page", type: "frames" };
  // A page that was not loaded again after it was allowed does not answer.
  const answer = await browser.tabs.sendMessage(tabId, message, { frameId: 0 }).catch(() => null);
  for (const origin of parseOrigins(answer)) {
    const pattern = patternOf(origin);
    if (pattern !== null && !(await isAllowedOn(pattern))) return pattern;
  }
  return null;
}
