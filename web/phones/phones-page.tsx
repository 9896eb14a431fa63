/** Phones: a link that pairs one, as a QR code, and the list of those that are paired. */

import { visibleLine } from "@continuo/core/transcript";
import {
  MACHINE_ROOT,
  ONLY_READS,
  type PairAnswer,
  PHONE_NAME_CHARS,
  type Phone,
  type PhoneRights,
  type PhonesState,
} from "@continuo/core/wire/machine";
import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { copyText } from "../content/copy.ts";
import { ErrorText } from "../content/error-text.tsx";
import { clock, dateAndClock } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { ask, isLost, ServerError, sayError } from "../state/server.ts";

const PHONES = `${MACHINE_ROOT}/phones`;
/** A visible page reads the list again after this time, so that a phone appears soon after it was paired. */
const LOOK_MS = 2_000;

const RIGHTS: Readonly<Record<PhoneRights, string>> = {
  read: "read every session",
  answer: "read every session, and answer questions",
};

interface PageState {
  readonly state: Signal<PhonesState | null>;
  readonly failure: Signal<string | null>;
  /** The shown link. */
  readonly link: Signal<PairAnswer | null>;
}

export function PhonesPage(): VNode {
  const state = useSignal<PhonesState | null>(null);
  const failure = useSignal<string | null>(null);
  const hasDoor = useSignal(true);
  const link = useSignal<PairAnswer | null>(null);
  useEffect(() => {
    document.title = "Phones · Continuo";
    const look = async (): Promise<void> => {
      try {
        state.value = await ask<PhonesState>(PHONES);
        if (
          !state.value.phones.some(({ id, state: now }) => id === link.value?.phone.id && now === "waiting")
        )
          link.value = null;
      } catch (error) {
        const code = error instanceof ServerError ? error.code : "";
        hasDoor.value = code !== "not_found";
        failure.value = code === "forbidden" ? ONLY_READS : code === "not_found" ? null : sayError(error);
      }
    };
    void look();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && !isLost.value && state.value !== null) void look();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  useKeys({
    u: () => {
      location.hash = "#/inbox";
    },
  });
  return (
    <main class="page-body phones">
      <h1>Phones</h1>
      {failure.value === null ? null : (
        <p class="notice bad" role="alert">
          <ErrorText text={failure.value} />
        </p>
      )}
      {hasDoor.value ? null : <NoDoor />}
      {state.value === null ? null : <Paired state={state} failure={failure} link={link} />}
    </main>
  );
}

function NoDoor(): VNode {
  return (
    <>
      <p>
        A phone reaches this viewer over a tunnel of your own that ends with TLS, such as that of Tailscale,
        and the viewer has no address of one. Set up a tunnel to port 4749 of this machine, and start the
        viewer with its address:
      </p>
      <div class="code">
        <pre class="plain" tabindex={0}>
          continuo view --tunnel https://HOST
        </pre>
      </div>
    </>
  );
}

function Paired({ state, failure, link }: PageState): VNode {
  const { url = "", phones = [] } = state.value ?? {};
  const revoke = async ({ id }: Phone): Promise<void> => {
    try {
      await ask(`${PHONES}/${id}/revoke`, { body: {} });
      state.value = { url, phones: phones.filter((one) => one.id !== id) };
      if (link.value?.phone.id === id) link.value = null;
    } catch (error) {
      failure.value = sayError(error);
    }
  };
  return (
    <>
      <p class="dim">
        They reach this viewer at <bdi>{url}</bdi>, until it ends.
      </p>
      {link.value === null ? (
        <PairForm failure={failure} link={link} state={state} />
      ) : (
        <Link answer={link.value} />
      )}
      <h2>
        Paired <span class="count">{phones.filter(({ state: now }) => now === "paired").length}</span>
      </h2>
      {phones.length === 0 ? <p class="dim">No phone is paired.</p> : null}
      <ul class="plain-list phone-list">
        {phones.map((phone) => (
          <li key={phone.id}>
            <span>
              <bdi class="phone-name">{visibleLine(phone.name)}</bdi>
              <span class="dim"> may {RIGHTS[phone.rights]}</span>
              <span class="phone-more">{wordsOf(phone)}</span>
            </span>
            <button type="button" disabled={isLost.value} onClick={() => void revoke(phone)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function wordsOf({ state, usedAt, expiresAt }: Phone): string {
  if (state === "waiting") return `its link waits until ${clock(expiresAt)}`;
  const end = dateAndClock(expiresAt);
  return usedAt === null ? `until ${end}` : `last used ${dateAndClock(usedAt)}, until ${end}`;
}

function PairForm({ state, failure, link }: PageState): VNode {
  const name = useSignal("");
  const rights = useSignal<PhoneRights>("read");
  const isAsking = useSignal(false);
  const pair = async (): Promise<void> => {
    isAsking.value = true;
    try {
      const body = { name: name.value.trim() || "Phone", rights: rights.value };
      const answer = await ask<PairAnswer>(PHONES, { body });
      failure.value = null;
      link.value = answer;
      if (state.value !== null)
        state.value = { ...state.value, phones: [...state.value.phones, answer.phone] };
    } catch (error) {
      failure.value = sayError(error);
    } finally {
      isAsking.value = false;
    }
  };
  return (
    <form
      class="phone-form"
      onSubmit={(event) => {
        event.preventDefault();
        void pair();
      }}
    >
      <label>
        Name{" "}
        <input
          type="text"
          placeholder="Phone"
          autocomplete="off"
          maxLength={PHONE_NAME_CHARS}
          value={name.value}
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value;
          }}
        />
      </label>
      <fieldset>
        <legend>It may</legend>
        {(["read", "answer"] as const).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="rights"
              checked={rights.value === one}
              onChange={() => {
                rights.value = one;
              }}
            />{" "}
            {RIGHTS[one]}
          </label>
        ))}
      </fieldset>
      <button type="submit" class="primary" disabled={isAsking.value || isLost.value}>
        Show the code
      </button>
    </form>
  );
}

function Link({ answer: { link, rows, phone } }: { answer: PairAnswer }): VNode {
  return (
    <section class="phone-link" aria-labelledby="phone-link">
      <h2 id="phone-link">Scan this with the phone</h2>
      <Code rows={rows} />
      <p>
        It pairs one phone, until {clock(phone.expiresAt)}. If a second one opens it, both are signed out.
      </p>
      <button type="button" onClick={({ currentTarget }) => void copyText(link, currentTarget)}>
        Copy the link
      </button>
    </section>
  );
}

/** Dark on light in every theme, as cameras expect. */
function Code({ rows }: { rows: readonly string[] }): VNode {
  const size = rows.length;
  const path = rows.flatMap((row, y) =>
    [...row.matchAll(/1+/gu)].map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
  );
  return (
    <svg class="phone-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of the link">
      <rect width={size} height={size} fill="#fff" />
      <path d={path.join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
