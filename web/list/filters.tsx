/** The filters of the list: a search field, and a column of agents, projects and times. */

import { visibleLine } from "@continuo/core/transcript";
import type { VNode } from "preact";
import { agentName, counted, shortFolder } from "../content/words.ts";
import { keyHint } from "../shell/keys.ts";
import { goTo } from "../shell/route.ts";
import { type Filters, isSearch, type TimeFilter } from "../state/sessions.ts";
import {
  chosen,
  facets,
  failure,
  filters,
  isStale,
  loading,
  mayChange,
  rows,
  setFilters,
  total,
  unlisted,
  unsearched,
  writePlaces,
} from "./list-state.ts";

const TIMES: readonly (readonly [TimeFilter, string])[] = [
  ["any", "Any time"],
  ["day", "Today"],
  ["week", "7 days"],
  ["month", "30 days"],
];
const SHOWN: readonly (readonly [Filters["shown"], string])[] = [
  ["current", "Current"],
  ["channels", "In channels"],
  ["live", "Continuous"],
  ["archived", "Archived"],
  ["deleted", "Trash"],
];
const SORTS: readonly (readonly [Filters["sort"], string])[] = [
  ["changed", "Newest change"],
  ["created", "Newest start"],
  ["title", "Title"],
  ["largest", "Largest"],
];
const MAX_PROJECTS = 30;

export function SearchLine(): VNode {
  return (
    <search class="find-line">
      <input
        id="find"
        type="search"
        placeholder="Search all that was said"
        aria-label="Search everything that was said"
        {...keyHint("/", "Enter opens the first session that is found, and the arrow goes to the list")}
        autocomplete="off"
        spellcheck={false}
        value={filters.value.text}
        onInput={(event) => setFilters({ text: event.currentTarget.value })}
      />
      {mayChange.value === true ? (
        // biome-ignore lint/a11y/useValidAnchor: it opens in another tab too.
        <a
          class="new-link"
          href="#/new"
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            writePlaces();
            goTo("#/new");
          }}
        >
          New
        </a>
      ) : null}
      <button
        type="button"
        class="quiet"
        aria-pressed={chosen.value !== null}
        {...keyHint("x")}
        onClick={() => {
          chosen.value = chosen.value === null ? [] : null;
        }}
      >
        Select
      </button>
      <output aria-live="polite">{countWords()}</output>
    </search>
  );
}

/** The number of results is meaningless before everything was searched. */
function countWords(): string {
  if (isStale.value && isSearch(filters.value))
    return failure.value === null || loading.value ? "Searching…" : "";
  if (total.value === null) return "";
  const count = counted(total.value, "session");
  const [unread, others] = [unsearched.value, unlisted.value].map((one) => one.toLocaleString("en"));
  if (unsearched.value > 0) return `${count} so far, ${unread} unread`;
  return unlisted.value > 0 ? `${count}, ${others} weaker matches not listed` : count;
}

/** On a narrow screen the column is folded. */
export function FilterColumn(): VNode {
  const isWide = matchMedia("(min-width: 60.01rem)").matches;
  return (
    <nav class="filters" aria-label="Filters">
      <details open={isWide}>
        <summary>Filters</summary>
        <AgentChoices />
        {filters.value.pinned || filters.value.tags.length > 0 || hasMarks() ? (
          <Group name="Marks">
            <Choice
              label="Pinned"
              isOn={filters.value.pinned}
              onPick={() => setFilters({ pinned: !filters.value.pinned })}
            />
            {tagsToChoose().map(([tag, sessions]) => (
              <Choice
                key={tag}
                label={`#${visibleLine(tag)}`}
                count={sessions}
                isOn={filters.value.tags.includes(tag)}
                onPick={() => setFilters({ tags: toggled(filters.value.tags, tag) })}
              />
            ))}
          </Group>
        ) : null}
        <Group name="Time">
          {TIMES.map(([time, label]) => (
            <Choice
              key={time}
              label={label}
              isOn={filters.value.time === time}
              onPick={() => setFilters({ time })}
            />
          ))}
        </Group>
        <Group name="Shown">
          {SHOWN.map(([shown, label]) => (
            <Choice
              key={shown}
              label={label}
              isOn={filters.value.shown === shown}
              onPick={() => setFilters({ shown })}
            />
          ))}
        </Group>
        <Group name="Order">
          {SORTS.map(([sort, label]) => (
            <Choice
              key={sort}
              label={sort === "changed" && isSearch(filters.value) ? "Best match" : label}
              isOn={filters.value.sort === sort}
              onPick={() => setFilters({ sort })}
            />
          ))}
        </Group>
        <Group name="Project">
          <input
            type="search"
            class="narrow"
            placeholder="Part of the folder"
            aria-label="Part of the project's folder"
            value={filters.value.project}
            onInput={(event) => setFilters({ project: event.currentTarget.value })}
          />
          {facets.value.projects.slice(0, MAX_PROJECTS).map(({ cwd, sessions }) => (
            <Choice
              key={cwd}
              label={visibleLine(shortFolder(cwd))}
              count={sessions}
              isOn={filters.value.project === cwd}
              onPick={() => setFilters({ project: filters.value.project === cwd ? "" : cwd })}
            />
          ))}
        </Group>
      </details>
    </nav>
  );
}

/** A chosen agent that has no session here can also be deselected. */
function AgentChoices(): VNode | null {
  const counts = new Map(facets.value.agents.map(({ agent, sessions }) => [agent, sessions]));
  for (const agent of filters.value.agents) if (!counts.has(agent)) counts.set(agent, 0);
  if (counts.size === 0) return null;
  return (
    <Group name="Agent">
      {[...counts].map(([agent, sessions]) => (
        <Choice
          key={agent}
          label={visibleLine(agentName(agent))}
          count={sessions}
          isOn={filters.value.agents.includes(agent)}
          onPick={() => setFilters({ agents: toggled(filters.value.agents, agent) })}
        />
      ))}
    </Group>
  );
}

function hasMarks(): boolean {
  return facets.value.tags.length > 0 || rows.value.some(({ marks }) => marks.pinned);
}

/** A tag in the address may belong to no session. */
function tagsToChoose(): readonly (readonly [string, number])[] {
  const counts = new Map(filters.value.tags.map((tag) => [tag, 0]));
  for (const { tag, sessions } of facets.value.tags.slice(0, MAX_PROJECTS)) counts.set(tag, sessions);
  return [...counts];
}

function Group({ name, children }: { name: string; children: unknown }): VNode {
  return (
    <fieldset>
      <legend>{name}</legend>
      {children as VNode}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly count?: number;
  readonly isOn: boolean;
  readonly onPick: () => void;
}

function Choice({ label, count, isOn, onPick }: ChoiceProps): VNode {
  return (
    <button type="button" class="choice" aria-pressed={isOn} onClick={onPick} title={label}>
      <bdi>{label}</bdi>
      {count === undefined ? null : <span class="count">{count.toLocaleString("en")}</span>}
    </button>
  );
}

function toggled(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
}
