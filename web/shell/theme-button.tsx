/** Switches between light, dark and the theme of the system. */

import { effect, signal } from "@preact/signals";
import type { VNode } from "preact";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const KEY = "continuo-theme";

const theme = signal<Theme>(stored());

function stored(): Theme {
  try {
    return THEMES.find((one) => one === localStorage.getItem(KEY)) ?? "system";
  } catch {
    // A page from disk may have no storage.
    return "system";
  }
}

export function applyTheme(): void {
  effect(() => {
    if (theme.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
    try {
      localStorage.setItem(KEY, theme.value);
    } catch {
      return;
    }
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
      }}
    >
      <span class="wide">Theme: </span>
      {theme.value}
    </button>
  );
}
