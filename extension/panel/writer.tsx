/** The note writer of the session with its cost, and the other writers of this machine, with the price of an hour. */

import type { OfferedWriter } from "@continuo/core/wire";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LIMITS } from "../limits.ts";
import type { PanelSession } from "../sending/panel-view.ts";
import type { Failure } from "../sending/view.ts";
import { costOf, hourPrice, writerOf } from "./format.ts";
import { ask } from "./link.ts";

interface Props {
  readonly session: PanelSession;
  readonly onFailure: (failure: Failure | null) => void;
}

type Offers = readonly OfferedWriter[] | "unknown" | "looking";

export function Writer({ session, onFailure }: Props): JSX.Element | null {
  const [offers, setOffers] = useState<Offers>("looking");
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const writer = writerOf(session);
  const cost = costOf(session);
  const { key } = session;
  const look = (): void => {
    ask(key, { action: "writers" }).then(
      (answer) => setOffers((answer as { readonly writers: readonly OfferedWriter[] }).writers),
      // The server is of an earlier version, or the token allows only some sessions.
      () => setOffers("unknown"),
    );
  };
  // A model that is started in the meantime is found without opening the list again.
  useEffect(() => {
    if (!isOpen || (Array.isArray(offers) && offers.length > 1)) return;
    const timer = setInterval(look, LIMITS.offersEveryMs);
    return () => clearInterval(timer);
  }, [isOpen, offers, key]);
  const choose = (name: string): void => {
    setChosen(name);
    onFailure(null);
    ask(key, { action: "chooseWriter", name })
      .then(look, onFailure)
      .finally(() => setChosen(null));
  };
  if (writer === undefined) return cost === "" ? null : <p class="dim">{cost}</p>;
  const by = writer === null ? "Notes without a model" : `Notes by ${writer}`;
  return (
    <details
      class="writer dim"
      onToggle={({ currentTarget }) => {
        setIsOpen(currentTarget.open);
        if (currentTarget.open) look();
      }}
    >
      <summary dir="auto">{[by, cost].filter((part) => part !== "").join(", ")}</summary>
      <WriterList offers={offers} chosen={chosen} onChoose={choose} />
    </details>
  );
}

interface ListProps {
  readonly offers: Offers;
  /** The writer whose button was just pressed. */
  readonly chosen: string | null;
  readonly onChoose: (name: string) => void;
}

function WriterList({ offers, chosen, onChoose }: ListProps): JSX.Element {
  if (offers === "looking") return <p role="status">Looking for models and agents on this machine…</p>;
  const isAlone = offers !== "unknown" && offers.length === 1;
  if (offers === "unknown" || isAlone) {
    return (
      <p>
        {isAlone && "No model and no agent was found on this machine: neither Ollama nor LM Studio answers. "}
        Notes without a model are the most important sentences. Name a model or an agent as{" "}
        <code>live.note_writer</code> in continuo.yaml, and start <code>continuo serve</code> again.
      </p>
    );
  }
  return (
    <>
      <p>Who writes the notes from here on, in this session and in new ones:</p>
      <ul class="writers" aria-label="Note writers">
        {offers.map((offer) => (
          <li key={offer.name}>
            <span dir="auto">
              {offer.kind === "none" ? "No model: the most important sentences" : offer.name}
              <small>{hourPrice(offer)}</small>
            </span>
            {offer.isUsed ? (
              <em>in use</em>
            ) : (
              <button
                type="button"
                disabled={chosen !== null}
                aria-label={`Use ${offer.kind === "none" ? "no model" : offer.name}`}
                onClick={() => onChoose(offer.name)}
              >
                {chosen === offer.name ? "Changing…" : "Use"}
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
