/** The connection to a server: a button for the server of this machine, and a form for any other one. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { browser } from "wxt/browser";
import { isServerUrl, SETTINGS, type Settings } from "../messages/messages.ts";
import { checkServer, collectAccess, requestAccess } from "../sending/access.ts";
import { waitForAccess } from "../sending/access-wait.ts";
import { baseUrl } from "../sending/requests.ts";
import { failureOf } from "../sending/session.ts";
import type { Failure } from "../sending/view.ts";
import { Problem } from "./problem.tsx";
import { isAllowedOn, nameOfSite, siteNow, type TabSite } from "./site.ts";

interface Props {
  readonly settings: Settings;
  readonly onConnected: (settings: Settings) => Promise<void>;
}

type ConnectState = "idle" | "looking" | "asking";

export function Connect({ settings, onConnected }: Props): JSX.Element {
  const [step, setStep] = useState<ConnectState>("idle");
  const [failure, setFailure] = useState<Failure | null>(null);
  const [site, setSite] = useState<TabSite>({ tabId: undefined, pattern: null });
  const [toAllow, setToAllow] = useState<string | null>(null);
  const asked = useRef(new AbortController());
  useEffect(() => {
    void siteNow().then(async (now) => {
      setSite(now);
      if (now.pattern !== null && !(await isAllowedOn(now.pattern))) setToAllow(now.pattern);
    });
    return () => asked.current.abort();
  }, []);
  const connect = async (): Promise<void> => {
    setFailure(null);
    setStep("looking");
    const given = new AbortController();
    asked.current = given;
    // Asks at once, because the browser shows its question only within the click.
    const isAllowed =
      toAllow !== null && (await browser.permissions.request({ origins: [toAllow] }).catch(() => false));
    if (isAllowed) setToAllow(null);
    const { signal } = given;
    try {
      const token = await tokenOf(settings.serverUrl, site, { signal, onAsked: () => setStep("asking") });
      if (token !== null && !signal.aborted) await onConnected({ ...settings, token });
    } catch (error) {
      if (!signal.aborted) setFailure(failureOf(error));
    }
    setStep("idle");
  };
  return (
    <section class="scroll setup" aria-label="Connect">
      <h2>Connect to Continuo</h2>
      <p>
        Notes are written and kept by Continuo on your own machine. Run <code>continuo serve</code> in a
        terminal, then press Connect.
      </p>
      {toAllow !== null && (
        <p class="dim">
          The browser asks next if Continuo may read {nameOfSite(toAllow)}; without that, there are no notes
          of its videos.
        </p>
      )}
      <button type="button" class="main large" disabled={step !== "idle"} onClick={() => void connect()}>
        Connect
      </button>
      <p role="status" class="dim">
        {step === "looking" && `Looking for the server at ${settings.serverUrl}…`}
        {step === "asking" && "Press Connect on the page that opened."}
      </p>
      {step === "asking" && (
        <button type="button" onClick={() => asked.current.abort()}>
          Cancel
        </button>
      )}
      {failure !== null && <Problem failure={failure} />}
      <OtherServer settings={settings} onConnected={onConnected} onTry={() => setFailure(null)} />
    </section>
  );
}

interface ConnectContext {
  readonly signal: AbortSignal;
  readonly onAsked: () => void;
}

/** `null` when the person left this step. Errors: `forbidden` when the person refused. */
async function tokenOf(
  serverUrl: string,
  { tabId, pattern }: TabSite,
  { signal, onAsked }: ConnectContext,
): Promise<string | null> {
  const { version } = browser.runtime.getManifest();
  const site = pattern === null ? null : nameOfSite(pattern);
  const asked = await requestAccess({ serverUrl, version, site });
  if (signal.aborted) return null;
  const opener = tabId === undefined ? {} : { openerTabId: tabId };
  const url = `${baseUrl(serverUrl)}${asked.page}`;
  const page = await browser.tabs.create({ url, ...opener });
  onAsked();
  try {
    return await waitForAccess({ collect: () => collectAccess(serverUrl, asked), signal });
  } finally {
    await closeTab(page.id);
  }
}

/** Closes a tab, which the person may have closed already. */
async function closeTab(tabId: number | undefined): Promise<void> {
  if (tabId !== undefined) await browser.tabs.remove(tabId).catch(() => undefined);
}

interface OtherProps extends Props {
  /** An earlier failure is removed when another server is tried. */
  readonly onTry: () => void;
}

/** A server of another machine, or a server with a token that the person created. */
function OtherServer({ settings, onConnected, onTry }: OtherProps): JSX.Element {
  const [serverUrl, setServerUrl] = useState(settings.serverUrl);
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isChecking, setChecking] = useState(false);
  const isComplete = isServerUrl(serverUrl) && token.trim() !== "";
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isComplete) return;
    const next = { ...settings, serverUrl, token: token.trim() };
    onTry();
    setFailure(null);
    setChecking(true);
    try {
      await checkServer(next);
      await onConnected(next);
    } catch (error) {
      setFailure(failureOf(error));
    }
    setChecking(false);
  };
  return (
    <details>
      <summary>Another server, or a token that you have</summary>
      <form class="setup" onSubmit={(event) => void save(event)}>
        <label>
          Server
          <input
            type="url"
            value={serverUrl}
            placeholder={SETTINGS.serverUrl}
            onInput={({ currentTarget }) => setServerUrl(currentTarget.value)}
          />
        </label>
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
          <small>
            Make one with <code>continuo token create --scope 'live:*:read,write' --label extension</code>,
            and start the server with <code>--origin {location.origin}</code>.
          </small>
        </label>
        {failure !== null && <Problem failure={failure} />}
        <button type="submit" disabled={!isComplete || isChecking}>
          {isChecking ? "Checking…" : "Use this token"}
        </button>
      </form>
    </details>
  );
}
