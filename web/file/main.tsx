/** The viewer in a file with a session inside: `continuo session export --format html`. It sends no requests. */

import { SAVED_ELEMENT, type SavedPage } from "@continuo/core/wire/machine";
import { render, type VNode } from "preact";
import { colourWith } from "../colour/colour.ts";
import { wordsOf } from "../colour/words-of.ts";
import { titleText } from "../content/title.ts";
import { dateAndClock } from "../content/words.ts";
import { SessionPage } from "../session/session.tsx";
import { HelpButton } from "../shell/help.tsx";
import { followAddress, route, sessionLink } from "../shell/route.ts";
import { applyTheme, ThemeButton } from "../shell/theme-button.tsx";
import { answerFrom } from "../state/server.ts";
import { answersOf } from "./answers.ts";

const text = document.getElementById(SAVED_ELEMENT)?.textContent ?? "";
const saved: SavedPage = JSON.parse(text);
answerFrom(answersOf(saved));
colourWith(wordsOf);
applyTheme();
followAddress();
const place = document.getElementById("app");
if (place !== null) render(<FilePage />, place);

/** An address that names no session of the file leads to the first one. */
function FilePage(): VNode | null {
  const asked = route.value;
  const { turn, tab } = asked.page === "session" ? asked : { turn: null, tab: "conversation" as const };
  const named = saved.sessions.find(({ head }) => asked.page === "session" && head.session.key === asked.key);
  const [first] = saved.sessions;
  const shown = named ?? first;
  if (shown === undefined) return null;
  const { head, histories } = shown;
  const parent = saved.sessions.find((one) => one.head.session.key === head.parentKey)?.head.session;
  return (
    <>
      <header class="top">
        <span class="brand">Continuo</span>
        {parent === undefined ? (
          <span class="saved">
            Saved {dateAndClock(saved.savedAt)}
            {partOf(histories[0]?.outline)}
          </span>
        ) : (
          <a class="saved" href={sessionLink(parent.key)}>
            Back to <bdi>{titleText(parent.title, "the session")}</bdi>
          </a>
        )}
        <span class="space" />
        <HelpButton />
        <ThemeButton />
      </header>
      <Notes />
      <SessionPage key={head.session.key} sessionKey={head.session.key} turn={turn} tab={tab} />
    </>
  );
}

/** The first sentence, and the others after it. */
function Notes(): VNode | null {
  const [first, ...others] = saved.notes;
  if (first === undefined) return null;
  if (others.length === 0) return <p class="saved-notes">{first}</p>;
  return (
    <details class="saved-notes">
      <summary>{first}</summary>
      {others.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </details>
  );
}

function partOf(outline: SavedPage["sessions"][number]["histories"][number]["outline"] | undefined): string {
  const [turns, total] = [outline?.turns ?? [], outline?.total ?? 0];
  if (turns.length === total) return "";
  return `, turns ${turns[0]?.number} to ${turns.at(-1)?.number} of ${total}`;
}
