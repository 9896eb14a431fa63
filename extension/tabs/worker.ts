/**
 * The service worker assigns sessions to tabs, and stores pending evidence on disk. The browser can end it at any time.
 */

import { type Browser, browser } from "wxt/browser";
import { LIMITS } from "../limits.ts";
import {
  type EngineConfig,
  type EvidenceAnswer,
  parseItems,
  parseVideo,
  type ToPage,
  type ToWorker,
} from "../messages/messages.ts";
import {
  badgeOf,
  frameInterval,
  MICROPHONE_BADGE,
  NEW_SENDING_STATE,
  type SendingState,
} from "../sending/policy.ts";
import { enqueue } from "../sending/storage.ts";
import { plainText } from "../watching/captions.ts";
import { type EngineLink, linkEngine } from "./engine-link.ts";
import { watchSites } from "./sites.ts";
import { soundOf } from "./tab-stream.ts";
import {
  activated,
  closed,
  ended,
  expired,
  hello,
  keyOf,
  type LiveTab,
  loaded,
  type TabAddress,
  type Tabs,
  type Video,
} from "./tabs.ts";
import { change, currentTabs, readSettings } from "./worker-state.ts";

const ALARM = "expire";
/** Timers can fire this much too early. */
const TIMER_SLACK_MS = 100;

/** Registers every listener immediately, because an event that wakes the worker is lost if its listener comes later. */
export function runWorker(): void {
  const worker = new TabWorker();
  browser.runtime.onMessage.addListener((message: ToWorker, sender, respond) => {
    if (sender.id !== browser.runtime.id || message?.to !== "worker") return;
    void worker.hear(message, sender).then(respond, () => respond(null));
    return true;
  });
  browser.tabs.onRemoved.addListener((tabId, { isWindowClosing }) => {
    void worker.changed((tabs) => closed(tabs, tabId, isWindowClosing ? "window" : "tab", Date.now()));
  });
  browser.tabs.onUpdated.addListener((tabId, { status }) => {
    if (status === "complete") void worker.onLoaded(tabId);
  });
  browser.tabs.onActivated.addListener(({ tabId }) => void worker.onActivated(tabId));
  browser.windows?.onFocusChanged.addListener((windowId) => void worker.onFocus(windowId));
  browser.alarms.onAlarm.addListener(({ name }) => {
    if (name === ALARM) void worker.expire();
  });
  browser.permissions.onAdded.addListener(({ origins }) => {
    void watchSites(origins ?? []);
    void worker.onAllowed();
  });
  browser.permissions.onRemoved.addListener(() => void watchSites([]));
  browser.storage.onChanged.addListener((changes, area) => {
    if (area === "local" && "settings" in changes) void worker.configure();
  });
  browser.runtime.onInstalled.addListener(() => void worker.onInstalled());
  browser.runtime.onStartup.addListener(() => void worker.configure());
  openPanelOnClick(() => worker.onAllowed());
}

/** Opens the panel when the button is clicked. The click also lets the extension record the sound of the tab. */
function openPanelOnClick(onAllowed: () => Promise<void>): void {
  browser.action.onClicked.addListener((tab) => {
    // This must happen within the click: browsers open a panel only for a gesture of the user.
    if (import.meta.env.FIREFOX) void (browser as unknown as FirefoxBrowser).sidebarAction.open();
    else if (tab.windowId !== undefined) void browser.sidePanel.open({ windowId: tab.windowId });
    if (tab.id !== undefined)
      void browser.storage.session.set({ asked: { tabId: tab.id, url: tab.url ?? "" } });
    void onAllowed();
  });
}

interface FirefoxBrowser {
  readonly sidebarAction: { open(): Promise<void> };
}

class TabWorker {
  #turn: Promise<unknown> = Promise.resolve();
  readonly #engine: EngineLink = linkEngine((message) => void this.hear(message, {}));

  async hear(message: ToWorker, sender: Browser.runtime.MessageSender): Promise<unknown> {
    const tabId = sender.tab?.id;
    if (message.type === "hello" || message.type === "evidence") {
      if (tabId === undefined || sender.frameId === undefined) return null;
      return message.type === "hello"
        ? await this.#onHello({ tabId, frameId: sender.frameId }, message, sender.tab)
        : await this.#onEvidence({ tabId, frameId: sender.frameId }, message);
    }
    // All other messages must come from pages of the extension.
    if (tabId !== undefined && !sender.url?.startsWith(`${location.origin}/`)) return null;
    switch (message.type) {
      case "ready":
        return await this.#config(await currentTabs());
      case "wake":
        return await this.configure();
      case "ended":
        return await this.changed((tabs) => ended(tabs, message.key));
      case "standing":
        return await this.#onSendingState(message.key, message.standing);
      case "listening":
        return await this.#onListening(message.key);
      case "capture":
        return await this.#tellPage(message.key, { to: "page", type: "capture" });
      case "tab-sound":
        return await soundOf(message.tabId);
    }
  }

  /** Called when the person pressed the button or granted a permission. */
  async onAllowed(): Promise<void> {
    await browser.storage.session.set({ allowedAtMs: Date.now() });
    await this.configure();
  }

  /** Applies a change, then informs the engine and each tab that starts or stops recording. */
  async changed(act: (tabs: Tabs) => Tabs): Promise<void> {
    const before = await currentTabs();
    const after = await change(act);
    if (after === before) return;
    await this.#spread(after);
    if (after.recording === before.recording) return;
    for (const recording of [before.recording, after.recording]) {
      const tab = after.live.find(({ tabId }) => tabId === recording);
      if (tab !== undefined) await this.#control(tab);
    }
  }

  async configure(): Promise<void> {
    const tabs = await currentTabs();
    await this.#spread(tabs);
    for (const tab of tabs.live) await this.#control(tab);
  }

  async onInstalled(): Promise<void> {
    const { origins = [] } = await browser.permissions.getAll();
    await watchSites(origins);
    await this.configure();
  }

  /** Asks a tab that has finished loading which video it has. A page without the watching script has no video. */
  async onLoaded(tabId: number): Promise<void> {
    if (!(await currentTabs()).live.some((tab) => tab.tabId === tabId)) return;
    try {
      await browser.tabs.sendMessage(tabId, { to: "page", type: "look" } satisfies ToPage);
    } catch {
      await this.changed((tabs) => loaded(tabs, tabId, Date.now()));
      this.#expireSoon();
    }
  }

  async onFocus(windowId: number): Promise<void> {
    const isElsewhere = windowId === browser.windows.WINDOW_ID_NONE;
    const [tab] = isElsewhere ? [] : await browser.tabs.query({ active: true, windowId });
    await this.onActivated(tab?.id ?? null);
  }

  /** Called when another tab comes to the front; `tabId` is `null` if another program is in front. */
  async onActivated(tabId: number | null): Promise<void> {
    const before = await currentTabs();
    if (tabId !== null) await this.changed((tabs) => activated(tabs, tabId));
    // The microphone stops as soon as any other tab is in front.
    if ((await currentTabs()) === before) await this.#spread(before);
  }

  async expire(): Promise<void> {
    await this.changed((tabs) => expired(tabs, Date.now()));
    if ((await currentTabs()).live.some(({ withoutVideoSinceMs }) => withoutVideoSinceMs !== null))
      this.#expireSoon();
  }

  async #onHello(
    from: PageFrame,
    message: Extract<ToWorker, { type: "hello" }>,
    sender: Browser.tabs.Tab | undefined,
  ): Promise<ToPage> {
    const video = titled(parseVideo(message.video), from, sender);
    const before = (await currentTabs()).live.find(({ tabId }) => tabId === from.tabId);
    const isOther = before !== undefined && before.frameId !== from.frameId;
    const said = {
      ...from,
      video,
      isFrameGone: isOther && !(await this.#look(before)),
      isActive: sender?.active ?? false,
      places: await listPlaces(),
      newPart: crypto.randomUUID(),
      nowMs: Date.now(),
    };
    await this.changed((tabs) => hello(tabs, said));
    const after = await currentTabs();
    const now = after.live.find(({ tabId }) => tabId === from.tabId);
    if (isOther && now !== undefined && now.frameId !== before.frameId) await this.#control(before);
    if (now !== undefined && now.withoutVideoSinceMs !== null) {
      this.#expireSoon();
      // Another iframe of the page may have a video.
      if (before?.withoutVideoSinceMs === null) void this.#look({ tabId: from.tabId });
    }
    return await this.#inTurn(() => this.#controlOf(from));
  }

  /** Asks a page, or one iframe of it, which video it shows. Returns false if no script answers there. */
  async #look({ tabId, frameId }: Pick<PageFrame, "tabId"> & Partial<PageFrame>): Promise<boolean> {
    const options = frameId === undefined ? {} : { frameId };
    const message: ToPage = { to: "page", type: "look" };
    return await browser.tabs.sendMessage(tabId, message, options).then(
      () => true,
      () => false,
    );
  }

  async #onEvidence(
    { tabId, frameId }: PageFrame,
    message: Extract<ToWorker, { type: "evidence" }>,
  ): Promise<EvidenceAnswer> {
    const tab = (await currentTabs()).live.find((one) => one.tabId === tabId && one.frameId === frameId);
    const key = tab === undefined || tab.video?.videoId !== message.videoId ? null : keyOf(tab);
    if (key === null) return "moved";
    await enqueue(key, parseItems(message.items));
    this.#engine.queued(key);
    return "stored";
  }

  async #onSendingState(key: string, state: SendingState): Promise<void> {
    await browser.storage.session.set({ [`standing ${key}`]: state });
    const tabs = await currentTabs();
    const tab = tabs.live.find((one) => keyOf(one) === key);
    if (tab === undefined) return;
    await this.#control(tab);
    await this.#showBadge(tab);
  }

  async #onListening(key: string | null): Promise<void> {
    await browser.storage.session.set({ listening: key });
    for (const tab of (await currentTabs()).live) await this.#showBadge(tab);
  }

  async #showBadge(tab: LiveTab): Promise<void> {
    const { tabId } = tab;
    const key = keyOf(tab);
    const { listening } = await browser.storage.session.get("listening");
    const isListening = key !== null && listening === key;
    const { text, colour, title } = isListening ? MICROPHONE_BADGE : badgeOf(await sendingStateOf(key));
    // The tab may have been closed.
    await Promise.allSettled([
      browser.action.setBadgeText({ tabId, text }),
      browser.action.setBadgeBackgroundColor({ tabId, color: colour }),
      browser.action.setTitle({ tabId, title }),
    ]);
  }

  /** The timer is enough while the worker lives; the alarm starts a worker that was ended. */
  #expireSoon(): void {
    setTimeout(() => void this.expire(), LIMITS.withoutVideoMs + TIMER_SLACK_MS);
    void browser.alarms.create(ALARM, { delayInMinutes: 0.5 });
  }

  async #spread(tabs: Tabs): Promise<void> {
    await this.#engine.configure(await this.#config(tabs));
  }

  async #config(tabs: Tabs): Promise<EngineConfig> {
    const open = tabs.live.flatMap((tab) => {
      const key = keyOf(tab);
      return key === null || tab.video === null
        ? []
        : [{ tabId: tab.tabId, frameId: tab.frameId, key, ...tab.video }];
    });
    const away = tabs.saved.flatMap((tab) => {
      const key = keyOf(tab);
      return key === null || tab.video === null ? [] : [{ key, ...tab.video }];
    });
    const settings = await readSettings();
    const { allowedAtMs } = await browser.storage.session.get("allowedAtMs");
    return {
      settings,
      open,
      ending: tabs.ending,
      away,
      recording: tabs.recording,
      frontTab: await tabInFront(),
      allowedAtMs: Number(allowedAtMs ?? 0),
    };
  }

  async #control(frame: PageFrame): Promise<void> {
    const { sent } = await this.#inTurn(async () => {
      const control = await this.#controlOf(frame);
      // The page may be gone; the next page sends "hello".
      const { tabId, frameId } = frame;
      return { sent: browser.tabs.sendMessage(tabId, control, { frameId }).catch(() => undefined) };
    });
    await sent;
  }

  /** Sends controls one after another, each with the newest state, so that an old control never arrives last. */
  #inTurn<Value>(act: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #controlOf({ tabId, frameId }: PageFrame): Promise<ToPage> {
    const { sources, token } = await readSettings();
    const tabs = await currentTabs();
    const tab = tabs.live.find((one) => one.tabId === tabId && one.frameId === frameId);
    const state = await sendingStateOf(tab === undefined ? null : keyOf(tab));
    return {
      to: "page",
      type: "control",
      isRecording: tab !== undefined && tabs.recording === tabId && token !== "",
      captions: sources.captions,
      pageCaptions: sources.pageCaptions,
      frames: sources.frames,
      frameEveryMs: frameInterval(sources.frameEveryMs, state),
    };
  }

  async #tellPage(key: string, message: ToPage): Promise<void> {
    const tab = (await currentTabs()).live.find((one) => keyOf(one) === key);
    if (tab === undefined) return;
    await browser.tabs.sendMessage(tab.tabId, message, { frameId: tab.frameId }).catch(() => undefined);
  }
}

/** A page in a tab, or an iframe of it. */
interface PageFrame {
  readonly tabId: number;
  readonly frameId: number;
}

/** Gives a video in an iframe the title of the page, because people know that title. */
function titled(
  video: Video | null,
  { frameId }: PageFrame,
  tab: Browser.tabs.Tab | undefined,
): Video | null {
  if (video === null || frameId === 0 || tab?.title === undefined) return video;
  return parseVideo({ ...video, title: plainText(tab.title) });
}

/** Returns the tab in front; `null` while another program is in front. */
async function tabInFront(): Promise<number | null> {
  const [tab] = await browser.tabs.query({ active: true, lastFocusedWindow: true });
  if (tab?.windowId === undefined) return null;
  const { focused } = await browser.windows.get(tab.windowId);
  return focused ? (tab.id ?? null) : null;
}

async function sendingStateOf(key: string | null): Promise<SendingState> {
  if (key === null) return NEW_SENDING_STATE;
  const name = `standing ${key}`;
  return ((await browser.storage.session.get(name))[name] as SendingState | undefined) ?? NEW_SENDING_STATE;
}

async function listPlaces(): Promise<readonly TabAddress[]> {
  return (await browser.tabs.query({})).flatMap(({ id, windowId, index, url }) =>
    id === undefined || windowId === undefined ? [] : [{ tabId: id, windowId, index, url: url ?? "" }],
  );
}
