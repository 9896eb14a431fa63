/** The number of questions in the title, and a mark on the icon, on every page. */

import type { Attention } from "../shell/attention.ts";

const COUNT = /^\(\d+\) /u;
const DOTS = { asks: "%23d9822b", unseen: "%231a9c5b" } as const;

let count = 0;
let icon: HTMLLinkElement | null = null;
let plain = "";

export function showAttention({ asks, unseen }: Attention): void {
  count = asks;
  watchTitle();
  writeTitle();
  icon ??= document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon === null) return;
  plain ||= icon.href;
  icon.href = asks > 0 ? marked(plain, DOTS.asks) : unseen > 0 ? marked(plain, DOTS.unseen) : plain;
  showBadge(asks);
}

/** Pages set the title themselves; the number is then put in front of it again. */
function writeTitle(): void {
  const rest = document.title.replace(COUNT, "");
  const wanted = count === 0 ? rest : `(${count}) ${rest}`;
  if (document.title !== wanted) document.title = wanted;
}

let isWatched = false;

function watchTitle(): void {
  const title = document.querySelector("title");
  if (isWatched || title === null) return;
  isWatched = true;
  new MutationObserver(writeTitle).observe(title, { childList: true });
}

/** The icon of the page with a dot at its corner. */
function marked(href: string, colour: string): string {
  const dot = `%3Ccircle cx=%2212%22 cy=%224%22 r=%224%22 fill=%22${colour}%22/%3E`;
  return href.replace("%3C/svg%3E", `${dot}%3C/svg%3E`);
}

/** The icon of an installed page, where the system shows numbers. */
function showBadge(asks: number): void {
  const { setAppBadge } = navigator as { setAppBadge?: (count: number) => Promise<void> };
  setAppBadge?.call(navigator, asks).catch(() => undefined);
}
