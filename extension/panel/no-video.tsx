/** No video is watched: what to do about it. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Browser, browser } from "wxt/browser";
import { parseOrigins, type ToPage } from "../messages/messages.ts";

export function NoVideo(): JSX.Element {
  const [site, setSite] = useState<string | null>(null);
  const [isAllowed, setAllowed] = useState(false);
  const [frame, setFrame] = useState<string | null>(null);
  const look = async (): Promise<void> => {
    const { id, url } = await tabNow();
    const found = patternOf(url);
    const isKnown = found !== null && (await isAllowedOn(found));
    setSite(found);
    setAllowed(isKnown);
    setFrame(isKnown ? await frameToAllow(id) : null);
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
        There is no video of {nameOf(site)} itself on this page. If you see one, it is in a frame of{" "}
        {nameOf(frame)}, which you have not allowed.
      </Allow>
    );
  }
  return <p class="empty">There is no video on this page of {nameOf(site)} yet. Open one, and play it.</p>;
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
        Allow on {nameOf(pattern)}
      </button>
    </div>
  );
}

function nameOf(pattern: string): string {
  return pattern.replace(/\/\*$/u, "");
}

function isAllowedOn(pattern: string): Promise<boolean> {
  return browser.permissions.contains({ origins: [pattern] });
}

/** The site of the largest frame of a page that the person did not allow. */
async function frameToAllow(tabId: number | undefined): Promise<string | null> {
  if (tabId === undefined) return null;
  const message: ToPage = { to: "page", type: "frames" };
  // A page that was not loaded since it was allowed does not answer.
  const answer = await browser.tabs.sendMessage(tabId, message, { frameId: 0 }).catch(() => null);
  for (const origin of parseOrigins(answer)) {
    const pattern = patternOf(origin);
    if (pattern !== null && !(await isAllowedOn(pattern))) return pattern;
  }
  return null;
}

async function tabNow(): Promise<{ readonly id: number | undefined; readonly url: string }> {
  const [tab] = await browser.tabs.query({ active: true, currentWindow: true });
  return { id: tab?.id, url: await addressOf(tab) };
}

async function addressOf(tab: Browser.tabs.Tab | undefined): Promise<string> {
  if (tab?.url !== undefined && tab.url !== "") return tab.url;
  const { asked } = (await browser.storage.session.get("asked")) as {
    asked?: { tabId: number; url: string };
  };
  return asked?.tabId === tab?.id ? (asked?.url ?? "") : "";
}

/** The pattern of a site; `null` for a page of the browser. */
function patternOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host } = new URL(url);
  if (protocol === "file:") return "file:///*";
  // A pattern has no port.
  return protocol === "http:" || protocol === "https:"
    ? `${protocol}//${host.replace(/:\d+$/u, "")}/*`
    : null;
}
