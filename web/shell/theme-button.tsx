/** Switches between light, dark and the theme of the system. */

import { effect, signal } from "@preact/signals";
import type { VNode } from "preact";
import { choiceInBrowser, keepChoice } from "./choices.ts";

const THEMES = ["system", "light", "dark"] as const;

const { dataset } = document.documentElement;
/** The server writes the stored theme into the page. */
const theme = signal(THEMES.find((one) => one === (choiceInBrowser("theme") ?? dataset.theme)) ?? "system");

export function applyTheme(): void {
  effect(() => {
    dataset.theme = theme.value;
  });
}

export function ThemeButton(): VNode {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
  return (
    <button
      type="button"
      class="quiet"
      title={`Theme: ${theme.value}. Change to ${next}`}
      onClick={() => {
        theme.value = next;
        keepChoice("theme", next);
      }}
    >
      Theme: {theme.value}
    </button>
  );
}
