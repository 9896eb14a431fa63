/** No video is watched: what to do about it. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { browser } from "wxt/browser";

export function NoVideo(): JSX.Element {
  const [site, setSite] = useState<string | null>(null);
  const [isAllowed, setAllowed] = useState(false);
  const look = async (): Promise<void> => {
    const found = patternOf(await addressOfTab());
    setSite(found);
    setAllowed(found !== null && (await browser.permissions.contains({ origins: [found] })));
  };
  useEffect(() => {
    void look();
    const again = (): void => void look();
    browser.tabs.onActivated.addListener(again);
    browser.storage.session.onChanged.addListener(again);
    return () => {
      browser.tabs.onActivated.removeListener(again);
      browser.storage.session.onChanged.removeListener(again);
    };
  }, []);
  if (site === null) {
    return <p class="empty">Open a page with a video, and press the Continuo button in the toolbar there.</p>;
  }
  const name = site.replace(/\/\*$/u, "");
  if (isAllowed)
    return <p class="empty">There is no video on this page of {name} yet. Open one, and play it.</p>;
  return (
    <div class="empty">
      <p>Continuo reads videos and captions only on sites that you allow.</p>
      <button
        type="button"
        class="main"
        onClick={() => void browser.permissions.request({ origins: [site] }).then(() => look())}
      >
        Allow on {name}
      </button>
    </div>
  );
}

async function addressOfTab(): Promise<string> {
  const [tab] = await browser.tabs.query({ active: true, currentWindow: true });
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
