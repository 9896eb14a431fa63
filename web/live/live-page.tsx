/** One continuous session: its evidence, its notes, and the navigation through its log. */

import { shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import type { LiveSession } from "@continuo/core/wire";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { copyText } from "../content/copy.ts";
import { cost, dateAndClock, tokens } from "../content/words.ts";
import { Replay } from "../parts/replay.tsx";
import { useKeys } from "../shell/keys.ts";
import { saveFile } from "../state/files.ts";
import { Expiring } from "./expiring.tsx";
import { LiveState } from "./live-state.ts";
import { notesAsMarkdown } from "./markdown.ts";
import { Notes } from "./notes.tsx";
import { liveLink } from "./paths.ts";
import { Summary } from "./summary.tsx";
import { Timeline } from "./timeline.tsx";

interface LivePageProps {
  readonly sessionKey: string;
  /** The shown position of the log; `null` for its end. */
  readonly at: number | null;
}

const NAMES = { summary: "Summary", notes: "Notes", timeline: "Timeline" } as const;

type LiveTab = keyof typeof NAMES;

const PARTS = Object.keys(NAMES) as readonly LiveTab[];

export function LivePage({ sessionKey, at }: LivePageProps): VNode {
  const state = useMemo(() => new LiveState(sessionKey), [sessionKey]);
  const part = useSignal<LiveTab | null>(null);
  /** The part next to the timeline, where there is room for two. */
  const left = useSignal<"notes" | "summary" | null>(null);
  useEffect(() => state.follow(at), [state]);
  useEffect(() => void state.goTo(at), [state, at]);
  const session = state.session.value;
  const hasEnded = session?.state === "closed" || session?.state === "abandoned";
  const first = hasEnded && at === null && session.hasPage === true ? "summary" : "notes";
  const shown = part.value ?? left.value ?? first;
  const beside = left.value ?? first;
  const show = (name: LiveTab): void => {
    part.value = name;
    if (name !== "timeline") left.value = name;
  };
  const showTimeline = (): void => {
    if (matchMedia("(max-width: 48rem)").matches) show("timeline");
  };
  const title = session?.title ?? session?.videoId ?? sessionKey;
  useEffect(() => {
    document.title = `${visibleLine(title)} · Continuo`;
  }, [title]);
  useKeys({
    u: () => {
      location.hash = "#/live";
    },
  });
  return (
    <div class="session-page live-page">
      <section class="session-head" aria-label="Continuous session">
        <div class="session-title">
          <h1>
            <bdi>{visibleLine(title)}</bdi>
          </h1>
          <Export state={state} title={title} />
        </div>
        <p class="facts">
          <a href="#/live">All sessions</a>
          {session === null ? null : <Facts session={session} />}
        </p>
        <Conditions state={state} />
        <Expiring state={state} />
        <div class="parts-switch">
          {PARTS.map((name) => (
            <button
              key={name}
              type="button"
              class={`quiet of-${name}`}
              aria-pressed={shown === name}
              onClick={() => show(name)}
            >
              {NAMES[name]}
            </button>
          ))}
        </div>
      </section>
      <main
        class={`live-split show-${shown === "timeline" ? shown : "notes"}`}
        aria-label="Notes and evidence"
      >
        {beside === "summary" ? <Summary state={state} onMoment={showTimeline} /> : <Notes state={state} />}
        <Timeline state={state} />
        <Replay state={state} time={state.items.value.at(-1)?.at ?? null} />
      </main>
    </div>
  );
}

function Facts({ session }: { session: LiveSession }): VNode {
  const { state, level, depth, restarts, budget, lastActivityAt, createdAt } = session;
  const { costUsd, inputTokens, outputTokens, modelCalls } = session.cost;
  return (
    <>
      <span class={`state ${state === "active" ? "live" : state === "degraded" ? "damaged" : ""}`}>
        {state}
      </span>
      {level === "normal" ? null : <span class="warn">{level}</span>}
      {depth === 0 ? null : <span>{depth.toLocaleString("en")} waiting</span>}
      <span>begun {dateAndClock(createdAt)}</span>
      <span>last input {dateAndClock(lastActivityAt)}</span>
      {modelCalls === 0 ? null : (
        <span>
          {tokens(inputTokens + outputTokens)} tokens, {cost(costUsd)}
        </span>
      )}
      {budget === "normal" ? null : <span class="warn">budget {budget}</span>}
      {restarts === 0 ? null : <span>taken over {restarts} times</span>}
      {session.parentId === null ? null : (
        <span>
          follows {session.parentStatus === undefined ? "an earlier" : `a ${session.parentStatus}`} session
        </span>
      )}
      {session.ephemeral ? <span class="warn">kept in memory only</span> : null}
    </>
  );
}

/** Problems of the session or the connection. */
function Conditions({ state }: { state: LiveState }): VNode {
  const health = state.session.value?.health;
  const lines: readonly (readonly [string, string | null | undefined])[] = [
    ["bad", state.failure.value],
    [
      "warn",
      state.connection.value === "lost" ? "The connection was lost. Trying again; nothing is missed." : null,
    ],
    [
      "bad",
      health?.degradedReason == null
        ? null
        : `Degraded: ${visibleLine(health.degradedReason)}. New evidence is refused until a repair: continuo live repair ${shellWord(state.key)}`,
    ],
    ["warn", health?.standIn == null ? null : visibleLine(health.standIn)],
    ["warn", health?.lastError == null ? null : `Last error: ${visibleLine(health.lastError)}`],
    [
      "warn",
      health?.lastCheckpointError == null
        ? null
        : `No checkpoint: ${visibleLine(health.lastCheckpointError)}`,
    ],
    ["", state.at.value === null ? null : "You see the session as it was at this place of its log."],
  ];
  return (
    <div role="status">
      {lines.map(([tone, text]) =>
        text == null ? null : (
          <p key={text} class={`notice ${tone}`}>
            {text}
          </p>
        ),
      )}
    </div>
  );
}

/** Exports the shown notes; a command exports everything, with pictures. */
function Export({ state, title }: { state: LiveState; title: string }): VNode {
  const save = (): void => {
    const text = notesAsMarkdown(title, state.notes.value);
    saveFile(new Blob([text], { type: "text/markdown" }), "notes.md");
  };
  const command = `continuo live export --output notes.zip ${quoted(state.key)}`;
  return (
    <div class="actions">
      <button
        type="button"
        title="A link to this place of the log"
        onClick={({ currentTarget }) =>
          void copyText(`${location.origin}/${liveLink(state.key, state.at.value)}`, currentTarget)
        }
      >
        Copy link
      </button>
      <button
        type="button"
        title={command}
        onClick={({ currentTarget }) => void copyText(command, currentTarget)}
      >
        Copy export command
      </button>
      <button type="button" onClick={save}>
        Save notes
      </button>
    </div>
  );
}

/** Quoted for a shell, because a key comes from outside. */
function quoted(text: string): string {
  return /^[\w.@%+-]+$/u.test(text) && !text.startsWith("-")
    ? text
    : `-- '${text.replaceAll(/\p{Cc}/gu, "").replaceAll("'", `'\\''`)}'`;
}
