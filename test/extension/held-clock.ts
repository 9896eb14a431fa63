/**
 * A part of the extension whose timers a test controls. While the clock is held, a timer fires only when the test moves
 * the clock. So a result that appears after one second of this clock did not wait for a longer timer, however slow the
 * machine is.
 */

import type { Viewer } from "./harness.ts";

/** Runs before the code of the part. `heldClock` is global there. */
export const HELD_CLOCK = `
globalThis.heldClock = (() => {
  const free = { set: setTimeout.bind(globalThis), clear: clearTimeout.bind(globalThis) };
  const timers = new Map();
  let [last, heldAtMs] = [0, null];
  const start = (id, timer) => {
    if (heldAtMs === null) timer.running = free.set(() => fire(id), timer.atMs - performance.now());
  };
  const fire = (id) => {
    const timer = timers.get(id);
    if (timer === undefined) return;
    if (timer.everyMs === null) timers.delete(id);
    else start(id, Object.assign(timer, { atMs: timer.atMs + timer.everyMs }));
    timer.act();
  };
  const add = (act, ms, everyMs) => {
    const timer = { act, atMs: (heldAtMs ?? performance.now()) + ms, everyMs };
    timers.set(++last, timer);
    start(last, timer);
    return last;
  };
  globalThis.setTimeout = (act, ms = 0, ...values) => add(() => act(...values), ms, null);
  globalThis.setInterval = (act, ms = 0, ...values) => add(() => act(...values), ms, ms);
  globalThis.clearTimeout = globalThis.clearInterval = (id) => {
    free.clear(timers.get(id)?.running);
    timers.delete(id);
  };
  return {
    hold() {
      heldAtMs ??= performance.now();
      for (const { running } of timers.values()) free.clear(running);
    },
    isHeld: () => heldAtMs !== null,
    release() {
      heldAtMs = null;
      for (const [id, timer] of timers) start(id, timer);
    },
    async advance(ms) {
      const endMs = heldAtMs + ms;
      for (;;) {
        const [due] = [...timers].filter(([, { atMs }]) => atMs <= endMs).sort(([, a], [, b]) => a.atMs - b.atMs);
        if (due === undefined) break;
        heldAtMs = Math.max(heldAtMs, due[1].atMs);
        fire(due[0]);
        await new Promise((resolve) => free.set(resolve, 0));
      }
      heldAtMs = endMs;
    },
  };
})();
chrome.runtime.onMessage.addListener(({ to, act, ms }, _sender, respond) => {
  if (to === "clock") respond(heldClock[act](ms) === true);
});
`;

/** Follows `HELD_CLOCK` in the offscreen document, and stops the clock when the message with "degraded" arrives. */
export const HOLD_AT_DEGRADED = `
let wasHeld = false;
globalThis.WebSocket = class extends WebSocket {
  constructor(...values) {
    super(...values);
    this.addEventListener("message", ({ data }) => {
      if (wasHeld || !String(data).includes('"degraded"')) return;
      wasHeld = true;
      heldClock.hold();
    });
  }
};
`;

/**
 * Follows `HELD_CLOCK` in a page: if the page's session storage has the item "hold", the clock is stopped from the
 * beginning, and the first three "hello" messages are lost.
 */
export const HOLD_WHEN_ASKED = `
if (sessionStorage.getItem("hold") !== null) {
  heldClock.hold();
  const send = chrome.runtime.sendMessage.bind(chrome.runtime);
  let lost = 0;
  chrome.runtime.sendMessage = (message, ...more) =>
    message.type === "hello" && lost++ < 3 ? Promise.reject(new Error("nobody")) : send(message, ...more);
}
`;

interface ClockMessage {
  readonly act: "advance" | "isHeld" | "release";
  readonly ms?: number;
}

/** Moves or releases the clock of the offscreen document, or returns whether it is held. */
export async function tellEngineClock(viewer: Viewer, message: ClockMessage): Promise<unknown> {
  return await viewer.ask(
    `chrome.runtime.sendMessage(${JSON.stringify({ to: "clock", ...message })}).catch(() => null)`,
  );
}

/** Moves or releases the clock of the script in the pages of a site. */
export async function tellPageClock(viewer: Viewer, url: string, message: ClockMessage): Promise<unknown> {
  return await viewer.ask(`chrome.tabs.query({ url: "${url}/*" }).then((tabs) => Promise.all(tabs.map(({ id }) =>
    chrome.tabs.sendMessage(id, ${JSON.stringify({ to: "clock", ...message })}).catch(() => null))))`);
}
