/** The viewer in a file with one session inside: `continuo view ID --output FILE`. It asks nobody for anything. */

import { SAVED_ELEMENT, type SavedSession } from "@continuo/core/wire/machine";
import { render, type VNode } from "preact";
import { colourWith } from "../colour/colour.ts";
import { wordsOf } from "../colour/words-of.ts";
import { dateAndClock } from "../content/words.ts";
import { SessionPage } from "../session/session.tsx";
import { HelpButton } from "../shell/help.tsx";
import { followAddress, route } from "../shell/route.ts";
import { applyTheme, ThemeButton } from "../shell/theme-button.tsx";
import { answerFrom } from "../state/server.ts";
import { answersOf } from "./answers.ts";

const text = document.getElementById(SAVED_ELEMENT)?.textContent ?? "";
const saved: SavedSession = JSON.parse(text);
answerFrom(answersOf(saved));
colourWith(wordsOf);
applyTheme();
followAddress();
const place = document.getElementById("app");
if (place !== null) render(<FilePage />, place);

/** Whatever the address says, it is this session. */
function FilePage(): VNode {
  const asked = route.value;
  const { turn, tab } = asked.page === "session" ? asked : { turn: null, tab: "conversation" as const };
  const { outline, head } = saved;
  const [first, last] = [outline.turns[0]?.number, outline.turns.at(-1)?.number];
  const isPart = outline.turns.length < outline.total;
  return (
    <>
      <header class="top">
        <span class="brand">Continuo</span>
        <span class="saved">
          Saved {dateAndClock(saved.savedAt)}
          {isPart ? `, turns ${first} to ${last} of ${outline.total}` : ""}
        </span>
        <span class="space" />
        <HelpButton />
        <ThemeButton />
      </header>
      <SessionPage sessionKey={head.session.key} turn={turn} tab={tab} />
    </>
  );
}
