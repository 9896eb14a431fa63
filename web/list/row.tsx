/** Shows a session as a line of the list. */

import { visibleLine } from "@continuo/core/transcript";
import type { MachineSession, TextMatch } from "@continuo/core/wire/machine";
import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { titleText } from "../content/title.ts";
import { agentName, clock, cost, counted, dateAndClock } from "../content/words.ts";
import { sessionLink } from "../shell/route.ts";
import { isOrdered } from "../state/sessions.ts";
import { filters, selected, writePlaces } from "./list-state.ts";

export function ListRow({ row }: { row: MachineSession }): VNode {
  const { key, title, agent, model, turns, costUsd, updatedAt, match, marks } = row;
  // No heading with a day or a project is above the row.
  const isDated = isOrdered(filters.value) || marks.pinned;
  // A component that reads a signal is drawn again only if the signal or its row has changed.
  const isSelected = useComputed(() => selected.value === key).value;
  return (
    <a
      href={rowLink(row)}
      class={`row ${isSelected ? "selected" : ""} ${isDated ? "ordered" : ""}`}
      aria-current={isSelected ? "true" : undefined}
      onFocus={() => {
        selected.value = key;
      }}
      // The Back button of the browser leads to this row.
      onClick={writePlaces}
    >
      <span class="title">
        <bdi>{titleText(title)}</bdi>
        <States row={row} />
      </span>
      <span class="agent">{agentName(agent)}</span>
      <span class="model">{model === null ? "" : visibleLine(model)}</span>
      <span class="turns">{turns === null ? "" : counted(turns, "turn")}</span>
      <span class="cost">{costUsd === null ? "" : cost(costUsd)}</span>
      <time class="time" dateTime={updatedAt ?? undefined} title={dateAndClock(updatedAt)}>
        {isDated ? dateAndClock(updatedAt) : clock(updatedAt)}
      </time>
      {match === undefined ? <Facts row={row} /> : <Excerpt match={match} marks={marks} />}
    </a>
  );
}

/** The page of the session finds the words again, and marks them. */
export function rowLink({ key, match }: MachineSession): string {
  if (match === undefined) return sessionLink(key);
  return `${sessionLink(key, `turn/${match.turn}`)}?${new URLSearchParams({ find: filters.value.text.trim() })}`;
}

function Excerpt({ match, marks }: { match: TextMatch } & Pick<MachineSession, "marks">): VNode {
  return (
    <span class="excerpt">
      <Marks marks={marks} />
      {match.excerpt.map(({ text, isMatch }, at) => {
        const said = visibleLine(text).replaceAll("␊", " ");
        return isMatch ? <mark key={at}>{said}</mark> : <span key={at}>{said}</span>;
      })}
      {match.turns > 1 ? <span class="more"> in {match.turns} turns</span> : null}
    </span>
  );
}

function Marks({ marks: { pinned, tags } }: Pick<MachineSession, "marks">): VNode {
  return (
    <>
      {pinned ? <span class="pin">Pinned</span> : null}
      {tags.map((tag) => (
        <bdi key={tag} class="tag">
          #{visibleLine(tag)}
        </bdi>
      ))}
    </>
  );
}

/** Shows the facts that distinguish rows with the same title. */
function Facts({ row: { facts, gitBranch, place, marks: own } }: { row: MachineSession }): VNode | null {
  const { lastWords = null, fileNames = [], changedFiles = 0, branches = 1, isFork = false } = facts ?? {};
  const others = changedFiles - fileNames.length;
  const files = [...fileNames.map(visibleLine), ...(others > 0 ? [`${others} more`] : [])].join(", ");
  const marks: readonly (readonly [string, string | null])[] = [
    ["place", place === null ? null : `${place.of === "channel" ? "#" : ""}${visibleLine(place.name)}`],
    ["fork", isFork ? "Fork" : null],
    ["branches", branches > 1 ? `${branches} branches` : null],
    ["git", gitBranch === null ? null : visibleLine(gitBranch)],
    ["files", files === "" ? null : files],
  ];
  return (
    <span class="row-facts">
      <Marks marks={own} />
      {marks.map(([name, words]) =>
        words === null ? null : (
          <bdi key={name} class={name}>
            {words}
          </bdi>
        ),
      )}
      {lastWords === null ? null : <bdi class="last">{visibleLine(lastWords)}</bdi>}
    </span>
  );
}

/** Shows each state of the session by a word, not only by a colour. */
function States({ row }: { row: MachineSession }): VNode {
  const states: readonly (readonly [string, boolean, string])[] = [
    ["live", row.live === true, "Open in its agent now"],
    ["damaged", row.problems.length > 0, row.problems.join(", ")],
    ["archived", row.archived, "Archived in its agent"],
    ["deleted", row.trashId !== null, "In the trash"],
  ];
  return (
    <>
      {states.map(([name, isSo, why]) =>
        isSo ? (
          <span key={name} class={`state ${name}`} title={why}>
            {name}
          </span>
        ) : null,
      )}
    </>
  );
}
