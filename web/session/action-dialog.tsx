/** The dialog of an action: a preview, then the result. */

import { AGENT_LABELS } from "@continuo/core/model";
import { visibleLine, visibleText } from "@continuo/core/transcript";
import {
  type ForkAnswer,
  type HandOffAnswer,
  type HandOffPreview,
  type HandOffRequest,
  type HistoryWindow,
  historyPath,
  MACHINE_ROOT,
  type RepairAnswer,
  type ResumeAnswer,
  type ResumeOffer,
  sessionPath,
  type TrashAnswer,
  trashKey,
} from "@continuo/core/wire/machine";
import { type ReadonlySignal, type Signal, useComputed, useSignal } from "@preact/signals";
import type { ButtonHTMLAttributes, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { compareLink, comparison, historyOf } from "../compare/compare-address.ts";
import { CompareForm } from "../compare/compare-form.tsx";
import { copyText } from "../content/copy.ts";
import { titleText } from "../content/title.ts";
import { agentName, counted } from "../content/words.ts";
import { sessionLink } from "../shell/route.ts";
import { ask, isAbort, isLost, ServerError, sayError } from "../state/server.ts";
import type { Action } from "./actions.tsx";
import { Opened, OpenInTerminal } from "./open-in-terminal.tsx";
import { Receipt } from "./receipt.tsx";
import { RepairEdits } from "./repair-edits.tsx";
import type { SessionState } from "./session-state.ts";
import { ShareForm } from "./share.tsx";
import { TagsForm } from "./tags-form.tsx";

interface DialogProps {
  readonly action: Action;
  readonly state: SessionState;
  readonly onClose: () => void;
}

const TITLES: Readonly<Record<Action, string>> = {
  resume: "Resume",
  share: "Share",
  compare: "Compare",
  handoff: "Hand over to another agent",
  fork: "Fork",
  rename: "Rename",
  tags: "Pin, and tags",
  repair: "Repair",
  delete: "Move to the trash",
};

/** These dialogs make each change immediately. */
const NOTHING_TO_CANCEL: ReadonlySet<Action> = new Set(["compare", "resume", "tags"]);

export function ActionDialog({ action, state, onClose }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const failure = useSignal<string | null>(null);
  const done = useSignal<VNode | null>(null);
  const busy = useSignal(false);
  const next = useSignal<string | null>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const run: Run = async (work) => {
    busy.value = true;
    failure.value = null;
    try {
      const result = await work();
      if (result !== null) done.value = result;
    } catch (error) {
      if (!isAbort(error)) failure.value = sayError(error);
    }
    busy.value = false;
  };
  const props: FormProps = { state, run, next, busy: useComputed(() => busy.value || isLost.value) };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="action-title"
      onClose={() => {
        onClose();
        if (next.value !== null) location.replace(next.value);
      }}
    >
      <h2 id="action-title">{TITLES[action]}</h2>
      {done.value ?? <ActionForm action={action} {...props} />}
      {failure.value === null ? null : (
        <p class="bad" role="alert">
          {failure.value}
        </p>
      )}
      <form method="dialog">
        <button type="submit">
          {done.value === null && !NOTHING_TO_CANCEL.has(action) ? "Cancel" : "Close"}
        </button>
      </form>
    </dialog>
  );
}

/** Shows the result of the work; `null` leaves the form as it is. */
export type Run = (work: () => Promise<VNode | null>) => Promise<void>;

export interface FormProps {
  readonly state: SessionState;
  readonly run: Run;
  readonly busy: ReadonlySignal<boolean>;
  /** The address that the page opens when the dialog is closed, unless the session stays where it is. */
  readonly next: Signal<string | null>;
}

function ActionForm({ action, ...props }: FormProps & { action: Action }): VNode {
  switch (action) {
    case "resume":
      return <ResumeForm {...props} />;
    case "share":
      return <ShareForm {...props} />;
    case "compare":
      return <CompareForm state={props.state} />;
    case "handoff":
      return <HandOffForm {...props} />;
    case "fork":
      return <ForkForm {...props} />;
    case "rename":
      return <RenameForm {...props} />;
    case "tags":
      return <TagsForm {...props} />;
    case "repair":
      return <RepairForm {...props} />;
    case "delete":
      return <DeleteForm {...props} />;
  }
}

function ResumeForm({ state, run, busy }: FormProps): VNode | null {
  const opened = useSignal<string | null>(null);
  useEffect(() => {
    void run(async () => {
      const resume = await ask<ResumeOffer>(sessionPath(state.key, "resume"));
      if (resume.terminal === null) return <Command resume={resume} />;
      return (
        <>
          <Command
            resume={resume}
            beside={<OpenInTerminal sessionKey={state.key} run={run} busy={busy} opened={opened} />}
          />
          <Opened opened={opened} />
        </>
      );
    });
  }, []);
  return busy.value ? <p class="dim">Reading…</p> : null;
}

/** Does what a person most likely wants next. It gets the focus immediately, so that Enter activates it. */
function NextButton(props: ButtonHTMLAttributes<HTMLButtonElement>): VNode {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus(), []);
  return <button ref={button} type="button" class="primary" {...props} />;
}

interface CommandProps {
  readonly resume: ResumeAnswer;
  /** Shown next to the button that copies the command. */
  readonly beside?: VNode | undefined;
}

function Command({ resume: { command, cwd }, beside }: CommandProps): VNode {
  return (
    <>
      <p class="dim">
        Paste this into a terminal. It starts in <bdi>{visibleLine(cwd)}</bdi>.
      </p>
      <div class="code">
        <pre class="command">{visibleText(command)}</pre>
      </div>
      <div class="actions">
        <NextButton onClick={(event) => void copyText(command, event.currentTarget)}>
          Copy the command
        </NextButton>
        {beside}
      </div>
    </>
  );
}

/** The command of a new session, with a button that runs it if a terminal can be opened. */
function MadeCommand({ made, run, busy }: Pick<FormProps, "run" | "busy"> & { made: HandOffAnswer }): VNode {
  const key = made.session?.key;
  const canOpen = useSignal(false);
  const opened = useSignal<string | null>(null);
  useEffect(() => {
    if (key === undefined) return;
    const offer = ask<ResumeOffer>(sessionPath(key, "resume"));
    // Without an answer only the command is shown, as in a browser on another machine.
    void offer.then(({ terminal }) => {
      canOpen.value = terminal !== null;
    }, isAbort);
  }, [key]);
  const open =
    key === undefined || !canOpen.value ? undefined : (
      <OpenInTerminal sessionKey={key} run={run} busy={busy} opened={opened} />
    );
  return (
    <>
      <Command resume={made.resume} beside={open} />
      <Opened opened={opened} />
    </>
  );
}

/** Links to a comparison. The source is on the left, as it was handed over. */
function CompareWith({ state, made }: { state: SessionState; made: { readonly key: string } }): VNode {
  const source = historyOf(state.key, { branch: state.branch.value });
  return (
    <>
      {" "}
      <a href={compareLink(comparison(source, historyOf(made.key)))}>Compare with the source</a>
    </>
  );
}

function HandOffForm({ state, run, busy }: FormProps): VNode {
  const cwd = useSignal("");
  const agents = Object.keys(AGENT_LABELS).filter((agent) => agent !== state.head.value?.session.agent);
  const to = useSignal<string>(agents[0] ?? "codex");
  const asked = (): HandOffRequest =>
    cwd.value.trim() === "" ? { to: to.value } : { to: to.value, cwd: cwd.value.trim() };
  const preview = useSignal<HandOffPreview | null>(null);
  useEffect(() => {
    preview.value = null;
    const stop = new AbortController();
    void run(async () => {
      const path = sessionPath(state.key, "handoff", { ...asked() });
      preview.value = await ask<HandOffPreview>(path, { signal: stop.signal });
      return null;
    });
    // The answer for the previous agent or folder must not be shown.
    return () => stop.abort();
  }, [to.value, cwd.value]);
  const place = (): Promise<void> =>
    run(async () => {
      const made = await ask<HandOffAnswer>(sessionPath(state.key, "handoff"), { body: asked() });
      const checked = made.verifiedBy === null ? "" : ` ${visibleLine(made.verifiedBy)} read it back.`;
      return (
        <>
          <p>
            The new session is in {agentName(to.value)}.{checked} <Made session={made.session} />
            {made.session === null ? null : <CompareWith state={state} made={made.session} />}
          </p>
          <MadeCommand made={made} run={run} busy={busy} />
        </>
      );
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // In the field, Enter first changes the folder, because the receipt for that folder was not shown yet.
        if (preview.value !== null) void place();
      }}
    >
      <label>
        To{" "}
        <select
          value={to.value}
          onKeyDown={(event) => {
            // Browsers do nothing with Enter here, or open the list, in which the arrows and letters choose.
            if (event.key !== "Enter") return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
          onChange={(event) => {
            const agent = event.currentTarget.value;
            // The receipt on the screen stays valid.
            if (agent === to.value) return;
            preview.value = null;
            to.value = agent;
          }}
        >
          {agents.map((agent) => (
            <option key={agent} value={agent}>
              {agentName(agent)}
            </option>
          ))}
        </select>
      </label>
      <label>
        In{" "}
        <input
          type="text"
          placeholder={visibleLine(state.head.value?.session.cwd ?? "its folder")}
          // An answer that arrives while a person types would delete the typed text, so no value is set here.
          onChange={(event) => {
            if (cwd.value === event.currentTarget.value) return;
            preview.value = null;
            cwd.value = event.currentTarget.value;
          }}
        />
      </label>
      {preview.value === null ? (
        <p class="dim">{busy.value ? "Working out the receipt…" : ""}</p>
      ) : (
        <Receipt preview={preview.value} />
      )}
      <button type="submit" class="primary" disabled={busy.value || preview.value === null}>
        Hand over
      </button>
    </form>
  );
}

function ForkForm({ state, run, busy }: FormProps): VNode {
  const turns = state.outline.value?.turns ?? [];
  const fork = (): Promise<void> =>
    run(async () => {
      const body = next.value === "" ? {} : { at: await messageBefore(state.key, next.value) };
      const made = await ask<ForkAnswer>(sessionPath(state.key, "fork"), { body });
      return (
        <>
          <p>
            The fork has {counted(made.messages, "message")}. <Made session={made.session} />
          </p>
          <Command resume={made.resume} />
        </>
      );
    });
  /** The first message after the fork; empty for a fork of everything. */
  const next = useSignal("");
  return (
    <>
      <p class="dim">
        A new session of the same agent with everything up to a turn. This one stays as it is.
      </p>
      <label>
        Up to{" "}
        <select
          value={next.value}
          onChange={(event) => {
            next.value = event.currentTarget.value;
          }}
        >
          <option value="">the end</option>
          {turns.slice(0, -1).map(({ number, title }, place) => (
            <option key={number} value={turns[place + 1]?.id}>
              turn {number}: {titleText(title, "")}
            </option>
          ))}
        </select>
      </label>
      <p>
        <button type="button" class="primary" disabled={busy.value} onClick={() => void fork()}>
          Fork
        </button>
      </p>
    </>
  );
}

/**
 * Finds the id of a turn's last message from the first message of the next turn, because the last message may not be
 * loaded. Errors: `not_found`.
 */
async function messageBefore(key: string, next: string): Promise<string> {
  const { messages } = await ask<HistoryWindow>(historyPath(key, { before: next, limit: 1 }));
  const last = messages.at(-1)?.message.id;
  if (last !== undefined) return last;
  throw new ServerError("not_found", "the turn has no message to fork from", "Open the session again.");
}

function RenameForm({ state, run, busy }: FormProps): VNode {
  const title = useSignal(state.head.value?.session.title ?? "");
  const rename = (): Promise<void> =>
    run(async () => {
      await ask(sessionPath(state.key, "rename"), { body: { title: title.value } });
      await state.readFacts();
      return <p>Renamed.</p>;
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void rename();
      }}
    >
      <label>
        Title{" "}
        <input
          type="text"
          class="wide"
          value={title.value}
          onInput={(event) => {
            title.value = event.currentTarget.value;
          }}
        />
      </label>
      <p>
        <button type="submit" class="primary" disabled={busy.value || title.value.trim() === ""}>
          Rename
        </button>
      </p>
    </form>
  );
}

function RepairForm({ state, run, busy }: FormProps): VNode {
  const preview = useSignal<RepairAnswer | null>(null);
  useEffect(() => {
    void run(async () => {
      preview.value = await ask<RepairAnswer>(sessionPath(state.key, "repair"));
      return null;
    });
  }, []);
  const repair = (): Promise<void> =>
    run(async () => {
      const made = await ask<RepairAnswer>(sessionPath(state.key, "repair"), { body: {} });
      await state.readFacts();
      await state.showNewest();
      return <p>{made.written ? "Repaired. The old state is in the trash." : "Nothing was written."}</p>;
    });
  if (preview.value === null) return <p class="dim">Looking…</p>;
  const { editCount } = preview.value;
  return (
    <>
      <RepairEdits answer={preview.value} />
      <button
        type="button"
        class="primary"
        disabled={busy.value || editCount === 0}
        onClick={() => void repair()}
      >
        Repair
      </button>
    </>
  );
}

function DeleteForm({ state, run, busy, next }: FormProps): VNode {
  const remove = (): Promise<void> =>
    run(async () => {
      const { trashId } = await ask<TrashAnswer>(sessionPath(state.key, "delete"), { body: {} });
      next.value = sessionLink(trashKey(trashId));
      return <Deleted trashId={trashId} run={run} next={next} />;
    });
  return (
    <>
      <p>It can be brought back from the trash.</p>
      <button type="button" class="primary" disabled={busy.value} onClick={() => void remove()}>
        Move to the trash
      </button>
    </>
  );
}

function Deleted({ trashId, run, next }: Pick<FormProps, "run" | "next"> & { trashId: string }): VNode {
  const restore = (id: string): Promise<void> =>
    run(async () => {
      await ask(`${MACHINE_ROOT}/trash/${encodeURIComponent(id)}/restore`, { body: {} });
      next.value = null;
      return <p>It is back.</p>;
    });
  return (
    <>
      <p>It is in the trash.</p>
      <NextButton onClick={() => void restore(trashId)}>Undo</NextButton> <a href="#/">Back to the list</a>
    </>
  );
}

function Made({ session }: { session: { readonly key: string } | null }): VNode | null {
  return session === null ? null : <a href={sessionLink(session.key)}>Open it</a>;
}
