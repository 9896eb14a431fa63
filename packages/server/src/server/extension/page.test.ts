/** The page on which a person answers an extension: its words are text, and only the person's own click counts. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pageOf } from "./page.ts";

const ASKED = {
  requestId: "r1",
  origin: `chrome-extension://${"b".repeat(32)}`,
  version: "1.2.3",
  site: null,
  nonce: "n1",
  code: null,
  state: "waiting",
  endsAtMs: 0,
} as const;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("what an extension says of itself is text on the page, and cannot add anything to it", () => {
  const evil = '"><img src=x onerror=alert(1)>';
  const html = pageOf(
    { ...ASKED, version: evil, site: evil, origin: evil, requestId: evil, nonce: evil },
    "sessions",
  );
  expect(html).not.toContain("<img");
});

type Listener = (event: { readonly isTrusted: boolean }) => void;

interface FakeButton {
  disabled: boolean;
  click?: Listener;
  addEventListener(name: "click", listener: Listener): void;
}

function button(disabled: boolean): FakeButton {
  const made: FakeButton = {
    disabled,
    addEventListener: (_, listener) => {
      made.click = listener;
    },
  };
  return made;
}

/** Runs the script of the page in a browser that has only what the script uses. */
function openPage(page: { visibilityState: string; hasFocus: boolean }) {
  const [, script = ""] = /<script>([\s\S]*)<\/script>/u.exec(pageOf(ASKED, "sessions")) ?? [];
  const [grant, refuse] = [button(true), button(false)];
  const elements: Readonly<Record<string, unknown>> = { grant, refuse, says: {}, buttons: {} };
  const seen = new Map<string, () => void>();
  const listen = (name: string, then: () => void): void => void seen.set(name, then);
  const sent: unknown[] = [];
  const document = {
    getElementById: (id: string) => elements[id] ?? null,
    body: { dataset: { nonce: "n1", request: "r1" } },
    addEventListener: listen,
    hasFocus: () => page.hasFocus,
    get visibilityState() {
      return page.visibilityState;
    },
  };
  const fetch = async (_: string, { body }: { readonly body: string }) => {
    sent.push(JSON.parse(body).isGranted);
    return { ok: true };
  };
  new Function("document", "addEventListener", "fetch", script)(document, listen, fetch);
  return { grant, refuse, sent, tell: (event: string) => seen.get(event)?.() };
}

test("only a page that has been in front for a moment can connect an extension", () => {
  const page = { visibilityState: "visible", hasFocus: false };
  const { grant, tell } = openPage(page);
  vi.advanceTimersByTime(5_000);
  expect(grant.disabled).toBe(true);
  page.hasFocus = true;
  tell("focus");
  vi.advanceTimersByTime(699);
  expect(grant.disabled).toBe(true);
  vi.advanceTimersByTime(1);
  expect(grant.disabled).toBe(false);
  page.visibilityState = "hidden";
  tell("visibilitychange");
  vi.advanceTimersByTime(5_000);
  expect(grant.disabled).toBe(true);
});

test("a click that no person made neither connects nor refuses an extension", () => {
  const { grant, refuse, sent } = openPage({ visibilityState: "visible", hasFocus: true });
  for (const one of [grant, refuse]) one.click?.({ isTrusted: false });
  expect(sent).toEqual([]);
  grant.click?.({ isTrusted: true });
  expect(sent).toEqual([true]);
});
