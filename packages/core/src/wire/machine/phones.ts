/**
 * Phones that a person paired with the viewer of this machine. A phone reaches the viewer through the person's own
 * tunnel, at an address that serves only sessions and the inbox.
 *
 * - `GET /v1/machine/phones`: `PhonesState`
 * - `POST /v1/machine/phones`: `PairRequest`, answered with `PairAnswer`; needs `machine:write`
 * - `POST /v1/machine/phones/ID/revoke`: an empty object; needs `machine:write`
 */

/**
 * `read`: the phone may see every session. `answer`: in addition, it may answer a question for permission once, and
 * mark sessions as seen.
 */
export type PhoneRights = "read" | "answer";

export interface Phone {
  readonly id: string;
  readonly name: string;
  readonly rights: PhoneRights;
  /** `waiting` until the link was opened. A link that nobody opened in time is not listed. */
  readonly state: "waiting" | "paired";
  /** The time of the last use, accurate to 15 minutes; `null` while the phone waits. */
  readonly usedAt: string | null;
  /** The end of the pairing; while the phone waits, the end of the link. */
  readonly expiresAt: string;
}

export interface PhonesState {
  /** The address of the tunnel. */
  readonly url: string;
  readonly phones: readonly Phone[];
}

export interface PairRequest {
  readonly rights: PhoneRights;
  /** A name for the person who reads the list; 1 to 60 characters. */
  readonly name: string;
}

export interface PairAnswer {
  readonly phone: Phone;
  /** The link, which works once and until `phone.expiresAt`. */
  readonly link: string;
  /** The QR code of the link, row by row, with its margin: `1` is dark. */
  readonly rows: readonly string[];
}

export interface PhoneService {
  list(): Promise<PhonesState>;
  /** Errors: `conflict` if the greatest number of phones is reached. */
  pair(request: PairRequest): Promise<PairAnswer>;
  /** Signs the phone out within a second. Errors: `not_found`. */
  revoke(id: string): Promise<void>;
}

export const PHONE_NAME_CHARS = 60;
