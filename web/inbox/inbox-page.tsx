/** The inbox: sessions that wait for an answer, that run, or that ended since the person viewed them. */

import { visibleLine } from "@continuo/core/transcript";
import {
  type AnswerRequest,
  type ChatQuestion,
  type InboxEnd,
  type InboxQuestion,
  type InboxRun,
  type InboxRunner,
  type InboxSession,
  ONLY_READS,
  sessionPath,
} from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Question } from "../chat/question.tsx";
import { THIS_PAGE } from "../chat/this-page.ts";
import { ErrorText } from "../content/error-text.tsx";
import { titleText } from "../content/title.ts";
import { agentName, clock, counted, dateAndClock, shortFolder } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { sessionLink } from "../shell/route.ts";
import { ask, isLost, sayError } from "../state/server.ts";
import { failure, inbox, see } from "./inbox-state.ts";
import { askToNotify, permission } from "./notifications.ts";

export function InboxPage(): VNode {
  const page = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = "Inbox · Continuo";
  }, []);
  useKeys({
    j: () => moveIn(page.current, 1),
    k: () => moveIn(page.current, -1),
    u: () => {
      location.hash = "#/";
    },
  });
  const state = inbox.value;
  return (
    <main class="page-body inbox" ref={page}>
      <header class="inbox-head">
        <h1>Inbox</h1>
        {permission.value === "default" ? (
          <button type="button" class="quiet" onClick={() => void askToNotify()}>
            Notify me
          </button>
        ) : null}
        {state?.rights === "write" ? (
          <a class="phones-link" href="#/phones">
            Use on a phone
          </a>
        ) : null}
        {state === null || state.unseen === 0 ? null : (
          <button type="button" class="quiet" disabled={isLost.value} onClick={() => void see({ all: true })}>
            Mark all as seen
          </button>
        )}
      </header>
      {failure.value === null ? null : (
        <p class="notice bad" role="alert">
          <ErrorText text={failure.value} />
        </p>
      )}
      {state === null ? <p class="dim">Looking…</p> : <Sections />}
    </main>
  );
}

function Sections(): VNode | null {
  const state = inbox.value;
  if (state === null) return null;
  const { asks, running, failed, finished, unseen, rights } = state;
  const listed = failed.length + finished.length;
  return (
    <>
      <p class={asks.length > 0 ? "warn" : "dim"} role="status">
        {asks.length > 0 ? `${counted(asks.length, "question")} for you.` : "Nothing waits for you."}
      </p>
      <Section name="Waits for an answer" count={asks.length}>
        {rights === "read" ? <p class="dim">{ONLY_READS}</p> : null}
        {asks.map(({ session, question }, at) => (
          <Asked
            key={question.approvalId}
            session={session}
            question={question}
            hasKeys={at === 0}
            isReadOnly={rights === "read"}
            isOnce={rights === "answer"}
          />
        ))}
      </Section>
      <Section name="Runs now" count={running.length}>
        <List of={running} line={(run) => <Running run={run} />} />
      </Section>
      <Section name="Failed since you looked" count={failed.length}>
        <List of={failed} line={(end) => <Ended end={end} />} />
      </Section>
      <Section name="Ended since you looked" count={finished.length}>
        <List of={finished} line={(end) => <Ended end={end} />} />
        {unseen > listed ? (
          <p class="dim">
            {counted(unseen - listed, "older session")} ended too. <a href="#/">The list</a> has all of them.
          </p>
        ) : null}
      </Section>
    </>
  );
}

/** Empty sections are left out. */
function Section({
  name,
  count,
  children,
}: {
  name: string;
  count: number;
  children: ComponentChildren;
}): VNode | null {
  if (count === 0) return null;
  const id = `inbox-${name.replaceAll(" ", "-").toLowerCase()}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {name} <span class="count">{count}</span>
      </h2>
      {children}
    </section>
  );
}

function List<Item extends { readonly session: InboxSession }>({
  of,
  line,
}: {
  of: readonly Item[];
  line: (item: Item) => VNode;
}): VNode {
  return (
    <ul class="plain-list inbox-list">
      {of.map((item) => (
        <li key={item.session.key}>{line(item)}</li>
      ))}
    </ul>
  );
}

interface AskedProps extends InboxQuestion {
  readonly hasKeys: boolean;
  readonly isReadOnly: boolean;
  readonly isOnce: boolean;
}

function Asked({ session, question, ...rights }: AskedProps): VNode {
  const refusal = useSignal<string | null>(null);
  const answer = async (
    { approvalId }: ChatQuestion,
    decision: Pick<AnswerRequest, "outcome" | "optionId" | "reason">,
  ): Promise<void> => {
    try {
      const body: AnswerRequest = { approvalId, ...decision, page: THIS_PAGE };
      await ask(sessionPath(session.key, "chat/answer"), { body });
    } catch (error) {
      refusal.value = sayError(error);
    }
  };
  return (
    <div class="inbox-asked">
      <a class="inbox-link" href={sessionLink(session.key)}>
        <Name session={session} />
      </a>
      <Question question={question} chat={{ answer }} {...rights} />
      {refusal.value === null ? null : (
        <p class="notice bad" role="alert">
          <ErrorText text={refusal.value} />
        </p>
      )}
    </div>
  );
}

function Name({ session: { title, agent, cwd } }: { session: InboxSession }): VNode {
  return (
    <>
      <bdi class="inbox-title">{titleText(title)}</bdi>
      <span class="inbox-from">
        {agentName(agent)}
        {cwd === null ? null : (
          <>
            {" · "}
            <bdi>{visibleLine(shortFolder(cwd))}</bdi>
          </>
        )}
      </span>
    </>
  );
}

const RUNNERS: Readonly<Record<InboxRunner, string>> = {
  "this server": "works",
  "another process": "works in another process",
  "its agent": "is open in its agent",
  unknown: "was written a moment ago",
};

function Running({ run: { session, agent, runner, since } }: { run: InboxRun }): VNode {
  const isTurn = since !== null;
  return (
    <a class="inbox-link" href={sessionLink(session.key)}>
      <span class={isTurn ? "beat" : "beat still"} aria-hidden="true" />
      <Name session={session} />
      <span class="inbox-more">
        {agent === null ? "" : `${agentName(agent)} `}
        {RUNNERS[runner]}, {isTurn ? `since ${clock(since)}` : `last change ${clock(session.updatedAt)}`}
      </span>
    </a>
  );
}

function Ended({ end: { session, failure: why, lastWords } }: { end: InboxEnd }): VNode {
  return (
    <a class="inbox-link" href={sessionLink(session.key)}>
      <Name session={session} />
      <time dateTime={session.updatedAt ?? undefined}>{dateAndClock(session.updatedAt)}</time>
      {why === null ? null : <span class="inbox-more bad">{visibleLine(why)}</span>}
      {why !== null || lastWords === null ? null : <bdi class="inbox-more">{visibleLine(lastWords)}</bdi>}
    </a>
  );
}

function moveIn(page: HTMLElement | null, step: 1 | -1): void {
  const links = [...(page?.querySelectorAll<HTMLElement>(".inbox-link") ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step]?.focus();
}
